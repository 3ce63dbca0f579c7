"""Small pictures out of noise: a U-Net told of the time and the class, guidance without a classifier."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class TimeEmbedding(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        self.mlp = nn.Sequential(nn.Linear(dim, dim * 4), nn.SiLU(), nn.Linear(dim * 4, dim * 4))

    def forward(self, t):
        half = self.dim // 2
        freqs = torch.exp(-math.log(10000) * torch.arange(half, device=t.device) / half)
        args = t[:, None].float() * freqs[None]
        return self.mlp(torch.cat([args.cos(), args.sin()], dim=-1))


class ResBlock(nn.Module):
    def __init__(self, c_in, c_out, emb_dim):
        super().__init__()
        self.norm1 = nn.GroupNorm(8, c_in)
        self.conv1 = nn.Conv2d(c_in, c_out, 3, padding=1)
        self.emb = nn.Linear(emb_dim, 2 * c_out)
        self.norm2 = nn.GroupNorm(8, c_out)
        self.conv2 = nn.Conv2d(c_out, c_out, 3, padding=1)
        self.skip = nn.Conv2d(c_in, c_out, 1) if c_in != c_out else nn.Identity()

    def forward(self, x, emb):
        h = self.conv1(F.silu(self.norm1(x)))
        scale, shift = self.emb(F.silu(emb))[:, :, None, None].chunk(2, dim=1)
        h = self.norm2(h) * (1 + scale) + shift
        return self.conv2(F.silu(h)) + self.skip(x)


class SpatialAttention(nn.Module):
    def __init__(self, channels, heads=4):
        super().__init__()
        self.heads = heads
        self.norm = nn.GroupNorm(8, channels)
        self.qkv = nn.Conv2d(channels, channels * 3, 1)
        self.proj = nn.Conv2d(channels, channels, 1)

    def forward(self, x):
        b, c, h, w = x.shape
        q, k, v = self.qkv(self.norm(x)).reshape(b, 3, self.heads, c // self.heads, h * w).unbind(1)
        attn = torch.einsum("bhdi,bhdj->bhij", q, k) * (c // self.heads) ** -0.5
        out = torch.einsum("bhij,bhdj->bhdi", attn.softmax(dim=-1), v)
        return x + self.proj(out.reshape(b, c, h, w))


class UNet(nn.Module):
    def __init__(self, in_ch=3, base=32, mults=(1, 2, 4), classes=10):
        super().__init__()
        emb_dim = base * 4
        self.time = TimeEmbedding(base)
        self.label = nn.Embedding(classes + 1, emb_dim)
        self.conv_in = nn.Conv2d(in_ch, base, 3, padding=1)
        self.downs, self.ups = nn.ModuleList(), nn.ModuleList()
        ch = base
        skips = []
        for i, m in enumerate(mults):
            out = base * m
            pool = nn.Conv2d(out, out, 4, stride=2, padding=1) if i < len(mults) - 1 else nn.Identity()
            self.downs.append(nn.ModuleList([ResBlock(ch, out, emb_dim), pool]))
            skips.append(out)
            ch = out
        self.mid1 = ResBlock(ch, ch, emb_dim)
        self.attn = SpatialAttention(ch)
        self.mid2 = ResBlock(ch, ch, emb_dim)
        for i, m in enumerate(reversed(mults)):
            out = base * m
            up = nn.ConvTranspose2d(out, out, 4, stride=2, padding=1) if i < len(mults) - 1 else nn.Identity()
            self.ups.append(nn.ModuleList([ResBlock(ch + skips.pop(), out, emb_dim), up]))
            ch = out
        self.out = nn.Sequential(nn.GroupNorm(8, ch), nn.SiLU(), nn.Conv2d(ch, in_ch, 3, padding=1))

    def forward(self, x, t, y):
        emb = self.time(t) + self.label(y)
        x = self.conv_in(x)
        skips = []
        for block, pool in self.downs:
            x = block(x, emb)
            skips.append(x)
            x = pool(x)
        x = self.mid2(self.attn(self.mid1(x, emb)), emb)
        for block, up in self.ups:
            x = block(torch.cat([x, skips.pop()], dim=1), emb)
            x = up(x)
        return self.out(x)


class Diffusion:
    def __init__(self, steps=100):
        self.steps = steps
        self.betas = torch.linspace(1e-4, 0.02, steps)
        self.alpha_bar = torch.cumprod(1 - self.betas, dim=0)

    def noisy(self, x0, t, noise):
        a = self.alpha_bar[t].view(-1, 1, 1, 1)
        return a.sqrt() * x0 + (1 - a).sqrt() * noise

    @torch.no_grad()
    def sample(self, model, y, shape, guidance=2.0):
        x = torch.randn(shape)
        none = torch.full_like(y, 10)
        for i in reversed(range(self.steps)):
            t = torch.full((shape[0],), i)
            cond, free = model(torch.cat([x, x]), torch.cat([t, t]), torch.cat([y, none])).chunk(2)
            eps = free + guidance * (cond - free)
            a, b = 1 - self.betas[i], self.betas[i]
            x = (x - b / (1 - self.alpha_bar[i]).sqrt() * eps) / a.sqrt()
            if i > 0:
                x = x + b.sqrt() * torch.randn_like(x)
        return x.clamp(-1, 1)


def main():
    model, diffusion = UNet(), Diffusion()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
    for _ in range(2):
        images, labels = torch.rand(4, 3, 32, 32) * 2 - 1, torch.randint(0, 10, (4,))
        labels = torch.where(torch.rand(4) < 0.1, torch.full_like(labels, 10), labels)
        t = torch.randint(0, diffusion.steps, (4,))
        noise = torch.randn_like(images)
        pred = model(diffusion.noisy(images, t, noise), t, labels)
        loss = F.mse_loss(pred, noise)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    diffusion.steps = 3
    print(diffusion.sample(model.eval(), torch.tensor([1, 2]), (2, 3, 32, 32)).shape)


if __name__ == "__main__":
    main()

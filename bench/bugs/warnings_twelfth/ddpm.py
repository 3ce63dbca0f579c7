"""Denoising diffusion on small pictures: a UNet with attention in the middle, and the loss of the noise."""

import math

import torch
import torch.nn.functional as F
from torch import nn


def timestep_embedding(t, dim):
    half = dim // 2
    freqs = torch.exp(-math.log(10000) * torch.arange(half, dtype=torch.float32, device=t.device) / half)
    args = t[:, None].float() * freqs[None]
    return torch.cat([torch.cos(args), torch.sin(args)], dim=-1)


class ResBlock(nn.Module):
    def __init__(self, cin, cout, temb, dropout=0.1):
        super().__init__()
        self.norm1 = nn.GroupNorm(8, cin)
        self.conv1 = nn.Conv2d(cin, cout, 3, padding=1)
        self.time = nn.Linear(temb, 2 * cout)
        self.norm2 = nn.GroupNorm(8, cout)
        self.conv2 = nn.Conv2d(cout, cout, 3, padding=1)
        self.shortcut = nn.Conv2d(cin, cout, 1) if cin != cout else nn.Identity()
        self.dropout = dropout

    def forward(self, x, temb):
        h = self.conv1(F.silu(self.norm1(x)))
        scale, shift = self.time(F.silu(temb))[:, :, None, None].chunk(2, dim=1)
        h = self.norm2(h) * (1 + scale) + shift
        h = F.dropout(F.silu(h), self.dropout, training=self.training)
        return self.shortcut(x) + self.conv2(h)


class AttnBlock(nn.Module):
    def __init__(self, channels, heads=2):
        super().__init__()
        self.heads = heads
        self.norm = nn.GroupNorm(8, channels)
        self.qkv = nn.Conv1d(channels, channels * 3, 1)
        self.proj = nn.Conv1d(channels, channels, 1)

    def forward(self, x):
        b, c, h, w = x.shape
        y = self.norm(x).reshape(b, c, h * w)
        q, k, v = self.qkv(y).reshape(b * self.heads, 3 * c // self.heads, h * w).chunk(3, dim=1)
        weight = torch.einsum("bct,bcs->bts", q, k) / math.sqrt(c // self.heads)
        weight = weight.softmax(dim=-1)
        a = torch.einsum("bts,bcs->bct", weight, v).reshape(b, c, h * w)
        return x + self.proj(a).reshape(b, c, h, w)


class UNet(nn.Module):
    def __init__(self, channels=3, base=16, temb=64, classes=10):
        super().__init__()
        self.base = base
        self.time = nn.Sequential(nn.Linear(base, temb), nn.SiLU(), nn.Linear(temb, temb))
        self.label = nn.Embedding(classes, temb)
        self.inp = nn.Conv2d(channels, base, 3, padding=1)
        self.down1 = ResBlock(base, base, temb)
        self.pool = nn.Conv2d(base, 2 * base, 3, stride=2, padding=1)
        self.mid1 = ResBlock(2 * base, 2 * base, temb)
        self.attn = AttnBlock(2 * base)
        self.mid2 = ResBlock(2 * base, 2 * base, temb)
        self.up1 = ResBlock(3 * base, base, temb)
        self.out = nn.Sequential(nn.GroupNorm(8, base), nn.SiLU(), nn.Conv2d(base, channels, 3, padding=1))

    def forward(self, x, t, y):
        temb = self.time(timestep_embedding(t, self.base)) + self.label(y)
        h1 = self.down1(self.inp(x), temb)
        h = self.pool(h1)
        h = self.mid2(self.attn(self.mid1(h, temb)), temb)
        h = F.interpolate(h, scale_factor=2, mode="nearest")
        h = self.up1(torch.cat([h, h1], dim=1), temb)
        return self.out(h)


class Diffusion(nn.Module):
    def __init__(self, model, steps=100):
        super().__init__()
        self.model, self.steps = model, steps
        betas = torch.linspace(1e-4, 0.02, steps)
        alphas_bar = torch.cumprod(1 - betas, dim=0)
        self.register_buffer("sqrt_ab", alphas_bar.sqrt())
        self.register_buffer("sqrt_1mab", (1 - alphas_bar).sqrt())
        self.register_buffer("snr", alphas_bar / (1 - alphas_bar))

    def q_sample(self, x0, t, noise):
        a = self.sqrt_ab[t].view(-1, 1, 1, 1)
        s = self.sqrt_1mab[t].view(-1, 1, 1, 1)
        return a * x0 + s * noise

    def forward(self, x0, y):
        t = torch.randint(0, self.steps, (x0.shape[0],), device=x0.device)
        noise = torch.randn_like(x0)
        pred = self.model(self.q_sample(x0, t, noise), t, y)
        per_sample = F.mse_loss(pred, noise, reduction="none").mean(dim=(1, 2, 3))
        weight = torch.clamp(self.snr[t], max=5.0) / self.snr[t]
        return (weight * per_sample).mean()


def main():
    diffusion = Diffusion(UNet())
    opt = torch.optim.AdamW(diffusion.parameters(), 1e-4)
    x, y = torch.rand(4, 3, 16, 16) * 2 - 1, torch.randint(0, 10, (4,))
    for _ in range(2):
        loss = diffusion(x, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(float(loss))


if __name__ == "__main__":
    main()

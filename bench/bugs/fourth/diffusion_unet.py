"""Noise prediction: a U-Net with time embeddings, attention at the lowest size, and the training loss (after DDPM)."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class SinusoidalPositionEmbeddings(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, time):
        half_dim = self.dim // 2
        embeddings = math.log(10000) / (half_dim - 1)
        embeddings = torch.exp(torch.arange(half_dim, device=time.device) * -embeddings)
        embeddings = time[:, None] * embeddings[None, :]
        return torch.cat((embeddings.sin(), embeddings.cos()), dim=-1)


class ResBlock(nn.Module):
    def __init__(self, in_ch, out_ch, time_dim, groups=6):
        super().__init__()
        self.norm1 = nn.GroupNorm(groups, in_ch)
        self.conv1 = nn.Conv2d(in_ch, out_ch, 3, padding=1)
        self.time_mlp = nn.Linear(time_dim, out_ch)
        self.norm2 = nn.GroupNorm(groups, out_ch)
        self.conv2 = nn.Conv2d(out_ch, out_ch, 3, padding=1)
        self.shortcut = nn.Conv2d(in_ch, out_ch, 1) if in_ch != out_ch else nn.Identity()

    def forward(self, x, t):
        h = self.conv1(F.silu(self.norm1(x)))
        h = h + self.time_mlp(F.silu(t))[:, :, None, None]
        h = self.conv2(F.silu(self.norm2(h)))
        return h + self.shortcut(x)


class AttentionBlock(nn.Module):
    def __init__(self, channels, heads=4):
        super().__init__()
        self.norm = nn.GroupNorm(6, channels)
        self.attn = nn.MultiheadAttention(channels, heads, batch_first=True)

    def forward(self, x):
        b, c, h, w = x.shape
        y = self.norm(x).reshape(b, c, h * w).permute(0, 2, 1)
        y, _ = self.attn(y, y, y)
        return x + y.permute(0, 2, 1).reshape(b, c, h, w)


class UNet(nn.Module):
    def __init__(self, in_channels=3, base=24, time_dim=64):
        super().__init__()
        self.time = nn.Sequential(
            SinusoidalPositionEmbeddings(base), nn.Linear(base, time_dim), nn.SiLU(), nn.Linear(time_dim, time_dim)
        )
        self.stem = nn.Conv2d(in_channels, base, 3, padding=1)
        self.down1 = ResBlock(base, base, time_dim)
        self.pool1 = nn.Conv2d(base, base, 4, stride=2, padding=1)
        self.down2 = ResBlock(base, base * 2, time_dim)
        self.pool2 = nn.Conv2d(base * 2, base * 2, 4, stride=2, padding=1)
        self.mid = ResBlock(base * 2, base * 4, time_dim)
        self.attn = AttentionBlock(base * 4)
        self.up2 = nn.ConvTranspose2d(base * 4, base * 2, 4, stride=2, padding=1)
        self.dec2 = ResBlock(base * 4, base * 2, time_dim)
        self.up1 = nn.ConvTranspose2d(base * 2, base, 4, stride=2, padding=1)
        self.dec1 = ResBlock(base * 2, base, time_dim)
        self.out = nn.Conv2d(base, in_channels, 1)

    def forward(self, x, timestep):
        t = self.time(timestep)
        x = self.stem(x)
        s1 = self.down1(x, t)
        s2 = self.down2(self.pool1(s1), t)
        x = self.attn(self.mid(self.pool2(s2), t))
        x = self.dec2(torch.cat((self.up2(x), s2), dim=1), t)
        x = self.dec1(torch.cat((self.up1(x), s1), dim=1), t)
        return self.out(x)


class Diffusion(nn.Module):
    def __init__(self, steps=200):
        super().__init__()
        self.model = UNet()
        self.steps = steps
        betas = torch.linspace(1e-4, 0.02, steps)
        self.register_buffer("alpha_bars", torch.cumprod(1 - betas, dim=0))

    def forward(self, x0, t):
        noise = torch.randn_like(x0)
        a = self.alpha_bars[t].view(-1, 1, 1, 1)
        noisy = a.sqrt() * x0 + (1 - a).sqrt() * noise
        return F.mse_loss(self.model(noisy, t), noise)


if __name__ == "__main__":
    ddpm = Diffusion()
    loss = ddpm(torch.randn(2, 3, 32, 32), torch.randint(0, 200, (2,)))
    loss.backward()

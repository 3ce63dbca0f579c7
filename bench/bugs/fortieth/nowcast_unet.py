"""Conditional U-Net that predicts v; the past frames enter as further input channels."""

import math

import torch
from torch import nn
from torch.nn import functional as F


def timestep_embedding(t, dim, max_period=10000):
    half = dim // 2
    freqs = torch.exp(-math.log(max_period) * torch.arange(half, device=t.device) / half)
    args = t[:, None].float() * freqs[None]
    return torch.cat([args.cos(), args.sin()], dim=-1)


class ResBlock(nn.Module):
    def __init__(self, in_ch, out_ch, emb_dim, dropout=0.1):
        super().__init__()
        self.in_layers = nn.Sequential(
            nn.GroupNorm(8, in_ch), nn.SiLU(), nn.Conv2d(in_ch, out_ch, 3, padding=1)
        )
        self.emb_layers = nn.Sequential(nn.SiLU(), nn.Linear(emb_dim, 2 * out_ch))
        self.out_norm = nn.GroupNorm(8, out_ch)
        self.out_layers = nn.Sequential(nn.SiLU(), nn.Dropout(dropout), nn.Conv2d(out_ch, out_ch, 3, padding=1))
        self.skip = nn.Identity() if in_ch == out_ch else nn.Conv2d(in_ch, out_ch, 1)

    def forward(self, x, emb):
        h = self.in_layers(x)
        scale, shift = self.emb_layers(emb)[:, :, None, None].chunk(2, dim=1)
        h = self.out_norm(h) * (1 + scale) + shift
        h = self.out_layers(h)
        return self.skip(x) + h


class SpatialAttention(nn.Module):
    def __init__(self, channels, heads=4):
        super().__init__()
        self.heads = heads
        self.norm = nn.GroupNorm(8, channels)
        self.qkv = nn.Conv1d(channels, 3 * channels, 1)
        self.proj = nn.Conv1d(channels, channels, 1)
        nn.init.zeros_(self.proj.weight)

    def forward(self, x):
        b, c, h, w = x.shape
        flat = self.norm(x).flatten(2)
        q, k, v = self.qkv(flat).view(b, 3, self.heads, c // self.heads, h * w).unbind(1)
        logits = torch.einsum("bhcn,bhcm->bhnm", q, k) / math.sqrt(c // self.heads)
        out = torch.einsum("bhnm,bhcm->bhcn", logits.softmax(-1), v)
        out = self.proj(out.reshape(b, c, h * w))
        return x + out.view(b, c, h, w)


class Upsample(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        return self.conv(F.interpolate(x, scale_factor=2, mode="nearest"))


class UNet(nn.Module):
    def __init__(self, in_channels, cond_channels, base=16, mults=(1, 2, 4), attention_at=(2,)):
        super().__init__()
        emb_dim = 4 * base
        self.base = base
        self.time_mlp = nn.Sequential(nn.Linear(base, emb_dim), nn.SiLU(), nn.Linear(emb_dim, emb_dim))
        self.hour_emb = nn.Embedding(24, emb_dim)
        self.stem = nn.Conv2d(in_channels + cond_channels, base, 3, padding=1)

        self.down = nn.ModuleList()
        skips = []
        ch = base
        for level, mult in enumerate(mults):
            out = base * mult
            self.down.append(
                nn.ModuleDict(
                    {
                        "res": ResBlock(ch, out, emb_dim),
                        "attn": SpatialAttention(out) if level in attention_at else nn.Identity(),
                        "down": nn.Conv2d(out, out, 3, stride=2, padding=1) if level < len(mults) - 1 else nn.Identity(),
                    }
                )
            )
            skips.append(out)
            ch = out

        self.mid = ResBlock(ch, ch, emb_dim)

        self.up = nn.ModuleList()
        for level, mult in reversed(list(enumerate(mults))):
            out = base * mult
            self.up.append(
                nn.ModuleDict(
                    {
                        "res": ResBlock(ch + skips.pop(), out, emb_dim),
                        "up": Upsample(out) if level > 0 else nn.Identity(),
                    }
                )
            )
            ch = out
        self.head = nn.Sequential(nn.GroupNorm(8, ch), nn.SiLU(), nn.Conv2d(ch, in_channels, 3, padding=1))

    def forward(self, x, t, cond, hour):
        emb = self.time_mlp(timestep_embedding(t, self.base)) + self.hour_emb(hour)
        h = self.stem(torch.cat([x, cond], dim=1))
        hs = []
        for stage in self.down:
            h = stage["attn"](stage["res"](h, emb))
            hs.append(h)
            h = stage["down"](h)
        h = self.mid(h, emb)
        for stage in self.up:
            h = torch.cat([h, hs.pop()], dim=1)
            h = stage["up"](stage["res"](h, emb))
        return self.head(h)

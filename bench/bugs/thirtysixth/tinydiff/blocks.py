import math

import torch
import torch.nn as nn
import torch.nn.functional as F

def timestep_embedding(t, dim):
    """Sinusoidal embedding of the (integer) timesteps, [B] -> [B, dim]."""
    half = dim // 2
    freqs = torch.exp(-math.log(10000) * torch.arange(half, device=t.device) / half)
    args = t[:, None].float() * freqs[None]
    return torch.cat([torch.cos(args), torch.sin(args)], dim=-1)

class ResBlock(nn.Module):
    def __init__(self, c_in, c_out, emb_dim, groups):
        super().__init__()
        self.norm1 = nn.GroupNorm(groups, c_in)
        self.conv1 = nn.Conv2d(c_in, c_out, 3, padding=1)
        self.emb_proj = nn.Linear(emb_dim, c_out * 2)
        self.norm2 = nn.GroupNorm(groups, c_out)
        self.conv2 = nn.Conv2d(c_out, c_out, 3, padding=1)
        self.skip = nn.Identity() if c_in == c_out else nn.Conv2d(c_in, c_out, 1)

    def forward(self, x, emb):
        h = self.conv1(F.silu(self.norm1(x)))
        scale, shift = self.emb_proj(F.silu(emb))[..., None, None].chunk(2, dim=1)
        h = self.norm2(h) * (1 + scale) + shift
        h = self.conv2(F.silu(h))
        return h + self.skip(x)

class AttnBlock(nn.Module):
    def __init__(self, channels, num_heads, groups):
        super().__init__()
        self.num_heads = num_heads
        self.norm = nn.GroupNorm(groups, channels)
        self.qkv = nn.Conv1d(channels, channels * 3, 1)
        self.proj = nn.Conv1d(channels, channels, 1)

    def forward(self, x):
        b, c, h, w = x.shape
        flat = self.norm(x).view(b, c, h * w)
        qkv = self.qkv(flat).view(b, 3, self.num_heads, c // self.num_heads, h * w)
        q, k, v = qkv.unbind(1)
        scores = torch.einsum("bhcq,bhck->bhqk", q, k) * (c // self.num_heads) ** -0.5
        out = torch.einsum("bhqk,bhck->bhcq", scores.softmax(dim=-1), v)
        out = self.proj(out.reshape(b, c, h * w))
        return x + out.view(b, c, h, w)

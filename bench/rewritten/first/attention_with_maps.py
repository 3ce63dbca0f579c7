import torch
import torch.nn as nn
import torch.nn.functional as F


class ProbeAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.in_proj = nn.Linear(dim, dim * 3)
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.in_proj(x).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / (c // self.heads) ** 0.5
        weights = F.softmax(scores, dim=-1)
        out = weights @ v
        return self.out_proj(out.transpose(1, 2).reshape(b, t, c)), weights


class SharpEncoder(nn.Module):
    """Encoder layer which reports how spread out its attention is."""

    def __init__(self, dim, heads=2):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.attn = ProbeAttention(dim, heads)

    def forward(self, x):
        y, maps = self.attn(self.norm(x))
        entropy = torch.special.entr(maps).sum(-1).mean()
        return x + y, entropy


SharpEncoder(16)(torch.randn(2, 7, 16))

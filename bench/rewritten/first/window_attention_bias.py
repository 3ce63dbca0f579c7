import torch
import torch.nn.functional as F
from torch import nn


class RelativeBias(nn.Module):
    """One learned number per head and offset, as in Swin."""

    def __init__(self, window: int, heads: int):
        super().__init__()
        self.table = nn.Parameter(torch.randn(2 * window - 1, heads) * 0.02)
        pos = torch.arange(window)
        self.register_buffer("index", pos[:, None] - pos[None, :] + window - 1, persistent=False)

    def forward(self):
        return self.table[self.index].permute(2, 0, 1).unsqueeze(0)


class WindowAttention(nn.Module):
    def __init__(self, dim, window, heads=2, drop=0.05):
        super().__init__()
        self.heads = heads
        self.drop = drop
        self.scale = (dim // heads) ** -0.5
        self.qkv = nn.Linear(dim, dim * 3, bias=False)
        self.rel_bias = RelativeBias(window, heads)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)

        q = q * self.scale
        sim = torch.einsum("b h i d, b h j d -> b h i j", q, k)
        sim = sim + self.rel_bias()
        attn = F.dropout(F.softmax(sim, dim=-1), p=self.drop, training=self.training)
        out = torch.einsum("b h i j, b h j d -> b h i d", attn, v)

        return self.proj(out.permute(0, 2, 1, 3).reshape(B, N, C))


WindowAttention(24, window=8)(torch.randn(2, 8, 24))

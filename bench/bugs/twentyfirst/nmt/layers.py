"""Attention, feed forward and positions, written from scratch."""

import math

import torch
import torch.nn as nn
from einops import rearrange, repeat
from torch import einsum


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=128):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, d_model)
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe.unsqueeze(0))

    def forward(self, x):
        return x + self.pe[:, : x.size(1)]


class Attention(nn.Module):
    def __init__(self, d_model, heads, d_head):
        super().__init__()
        self.heads = heads
        self.scale = d_head**-0.5
        inner = heads * d_head
        self.to_q = nn.Linear(d_model, inner, bias=False)
        self.to_kv = nn.Linear(d_model, inner * 2, bias=False)
        self.null_kv = nn.Parameter(torch.randn(2, heads, d_head))
        self.to_out = nn.Linear(inner, d_model)

    def forward(self, x, context=None, mask=None):
        context = x if context is None else context
        q = rearrange(self.to_q(x), "b n (h d) -> b h n d", h=self.heads)
        k, v = rearrange(self.to_kv(context), "b n (kv h d) -> kv b h n d", kv=2, h=self.heads)
        nk, nv = repeat(self.null_kv, "kv h d -> kv b h 1 d", b=x.shape[0])
        k = torch.cat([nk, k], dim=2)
        v = torch.cat([nv, v], dim=2)
        sim = einsum("b h i d, b h j d -> b h i j", q, k) * self.scale
        if mask is not None:
            mask = nn.functional.pad(mask, (1, 0), value=True)
            sim = sim.masked_fill(~mask, -1e9)
        out = einsum("b h i j, b h j d -> b h i d", sim.softmax(dim=-1), v)
        return self.to_out(rearrange(out, "b h n d -> b n (h d)"))


class GEGLU(nn.Module):
    def forward(self, x):
        x, gate = x.chunk(2, dim=-1)
        return x * nn.functional.gelu(gate)


class FeedForward(nn.Sequential):
    def __init__(self, d_model, mult=4):
        hidden = d_model * mult
        super().__init__(nn.Linear(d_model, hidden * 2), GEGLU(), nn.Linear(hidden, d_model))

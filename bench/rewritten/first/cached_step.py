import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class MemoryAttention(nn.Module):
    """Transformer-XL like: the segment sees a memory plus its own past."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.q = nn.Linear(dim, dim, bias=False)
        self.kv = nn.Linear(dim, 2 * dim, bias=False)
        self.o = nn.Linear(dim, dim, bias=False)

    def forward(self, x, memory):
        B, T, C = x.shape
        past = memory.size(1)
        hd = C // self.heads

        q = self.q(x).view(B, T, self.heads, hd).transpose(1, 2)
        k, v = self.kv(torch.cat([memory, x], dim=1)).view(B, past + T, 2, self.heads, hd).permute(2, 0, 3, 1, 4)

        allowed = torch.ones(T, past + T, dtype=torch.bool, device=x.device).tril(diagonal=past)
        att = q @ k.transpose(-2, -1) / math.sqrt(hd)
        att = att.masked_fill(~allowed, float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        return self.o(y.transpose(1, 2).reshape(B, T, C))


MemoryAttention(16, 2)(torch.randn(2, 5, 16), torch.randn(2, 3, 16))

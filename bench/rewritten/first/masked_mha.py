import math
from typing import Optional

import torch
import torch.nn as nn


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.1):
        super().__init__()
        assert d_model % num_heads == 0
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.attn_drop = nn.Dropout(dropout)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, t: torch.Tensor) -> torch.Tensor:
        return t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def forward(self, x: torch.Tensor, mask: Optional[torch.Tensor] = None) -> torch.Tensor:
        q, k, v = (self.split_heads(t) for t in self.qkv(x).chunk(3, dim=-1))

        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.head_dim)

        # padding positions get no weight
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))

        probs = torch.softmax(scores, dim=-1)
        probs = self.attn_drop(probs)

        out = torch.matmul(probs, v)
        out = out.transpose(1, 2).flatten(2)
        return self.out_proj(out)


class EncoderBlock(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.attn = MultiHeadSelfAttention(d_model, num_heads)

    def forward(self, x, mask=None):
        return x + self.attn(self.norm(x), mask)


EncoderBlock(32, 4)(torch.randn(2, 6, 32), torch.tensor([[1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1]])[:, None, None, :])

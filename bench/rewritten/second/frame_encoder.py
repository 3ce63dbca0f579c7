from __future__ import annotations

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


def causal_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    temperature: float,
    dropout: float,
    training: bool,
) -> Tensor:
    n = q.shape[-2]
    future = torch.full((n, n), float("-inf"), device=q.device, dtype=q.dtype).triu(diagonal=1)
    logits = torch.matmul(q, k.permute(0, 1, 3, 2)).div(temperature) + future
    probs = F.dropout(torch.softmax(logits, dim=-1), p=dropout, training=training)
    return torch.matmul(probs, v)


class FrameEncoder(nn.Module):
    """Streaming encoder: a frame only sees the frames before it."""

    def __init__(self, dim: int, heads: int = 2, temperature: float = 5.0, dropout: float = 0.1):
        super().__init__()
        self.heads = heads
        self.temperature = temperature
        self.dropout = dropout
        self.norm = nn.LayerNorm(dim)
        self.in_proj = nn.Linear(dim, dim * 3)
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, frames: Tensor) -> Tensor:
        b, n, _ = frames.shape
        qkv = self.in_proj(self.norm(frames)).view(b, n, 3, self.heads, -1)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        ctx = causal_attention(q, k, v, self.temperature, self.dropout, self.training)
        return frames + self.out_proj(ctx.transpose(1, 2).reshape(b, n, -1))


FrameEncoder(16)(torch.randn(2, 8, 16))

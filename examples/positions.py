"""Position encodings that need no input."""

import math

import torch
from torch import nn


class Alibi(nn.Module):
    """Attention with linear biases: one slope per head."""

    def __init__(self, heads=8):
        super().__init__()
        self.heads = heads
        start = 2 ** (-8 / heads)
        self.register_buffer("slopes", torch.tensor([start ** (i + 1) for i in range(heads)]), persistent=False)

    def forward(self, length=128):
        positions = torch.arange(length, device=self.slopes.device)
        distance = (positions[None, :] - positions[:, None]).clamp(max=0)
        return self.slopes[:, None, None] * distance


class SinusoidalPositions(nn.Module):
    def __init__(self, dim=256, max_len=512):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, dim, 2) * (-math.log(10000.0) / dim))
        table = torch.zeros(max_len, dim)
        table[:, 0::2] = torch.sin(position * div_term)
        table[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("table", table)
        self.cache = None

    def forward(self, length=64, offset=0):
        if self.cache is None or self.cache.size(0) < length:
            self.cache = self.table[offset : offset + length]
        return self.cache[:length]

from __future__ import annotations

import torch
import torch.nn as nn
from torch import Tensor


class Highway(nn.Module):
    """Highway layer: a gate decides how much of the input is carried on."""

    def __init__(self, dim: int, gate_bias: float = -1.0) -> None:
        super().__init__()
        self.transform = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, dim))
        self.gate = nn.Linear(dim, dim)
        nn.init.constant_(self.gate.bias, gate_bias)

    def forward(self, x: Tensor) -> Tensor:
        return torch.sigmoid(self.gate(x)) * self.transform(x) + (1 - torch.sigmoid(self.gate(x))) * x


class CharEncoder(nn.Module):
    def __init__(self, n_chars: int, dim: int = 12, depth: int = 2) -> None:
        super().__init__()
        self.embed = nn.Embedding(n_chars, dim)
        self.layers = nn.ModuleList([Highway(dim) for _ in range(depth)])

    def forward(self, chars: Tensor) -> Tensor:
        h = self.embed(chars).mean(dim=1)
        for layer in self.layers:
            h = layer(h)
        return h


CharEncoder(20)(torch.randint(0, 20, (3, 7)))

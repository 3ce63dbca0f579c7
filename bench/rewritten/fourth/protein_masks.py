import math

import torch
import torch.nn as nn
from torch.nn import functional as F


class ScaledLinear(nn.Module):
    """Linear layer with its own initial scale, as the structure module wants it."""

    def __init__(self, n_in: int, n_out: int, gain: float = 1.0):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(n_out, n_in))
        self.bias = nn.Parameter(torch.zeros(n_out))
        nn.init.normal_(self.weight, std=gain / math.sqrt(n_in))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.matmul(x, self.weight.t())
        return y + self.bias


class Transition(nn.Module):
    def __init__(self, dim: int, factor: int = 2):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.wide = ScaledLinear(dim, factor * dim, gain=math.sqrt(2))
        self.back = ScaledLinear(factor * dim, dim, gain=0.1)

    def forward(self, x):
        return x + self.back(F.relu(self.wide(self.norm(x))))


class ResidueEmbedding(nn.Module):
    def __init__(self, dim: int, residues: int = 21):
        super().__init__()
        self.emb = nn.Embedding(residues, dim)
        self.conv = nn.Conv1d(dim, dim, 3, padding=1)

    def forward(self, seq):
        e = self.emb(seq)
        return e + self.conv(e.transpose(1, 2)).transpose(1, 2)


class DisorderNet(nn.Module):
    """Per-residue disorder from the sequence."""

    def __init__(self, dim: int = 16, depth: int = 2):
        super().__init__()
        self.embed = ResidueEmbedding(dim)
        self.layers = nn.ModuleList([Transition(dim) for _ in range(depth)])
        self.out = ScaledLinear(dim, 1)

    def forward(self, seq):
        h = self.embed(seq)
        for layer in self.layers:
            h = layer(h)
        return self.out(h).squeeze(-1)


DisorderNet()(torch.randint(0, 21, (2, 14)))

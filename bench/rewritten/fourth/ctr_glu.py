"""Click-through-rate model: embedded categories and a few numeric columns."""
from typing import Sequence

import torch
from torch import nn, Tensor


class FieldEmbedding(nn.Module):
    def __init__(self, cardinalities: Sequence[int], dim: int):
        super().__init__()
        self.tables = nn.ModuleList([nn.Embedding(c, dim) for c in cardinalities])

    def forward(self, cats: Tensor) -> Tensor:
        cols = [table(cats[:, i]) for i, table in enumerate(self.tables)]
        return torch.cat(cols, dim=-1)


class GatedBlock(nn.Module):
    def __init__(self, dim: int, hidden: int):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.w_up = nn.Linear(dim, hidden, bias=False)
        self.w_gate = nn.Linear(dim, hidden, bias=False)
        self.w_down = nn.Linear(hidden, dim, bias=False)
        self.act = nn.SiLU()

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(x)
        y = self.act(self.w_gate(y)) * self.w_up(y)
        return x + self.w_down(y)


class CTRNet(nn.Module):
    def __init__(self, cardinalities=(12, 7, 30), numeric: int = 4, dim: int = 6, depth: int = 2):
        super().__init__()
        width = dim * len(cardinalities) + numeric
        self.fields = FieldEmbedding(cardinalities, dim)
        self.blocks = nn.ModuleList([GatedBlock(width, 2 * width) for _ in range(depth)])
        self.logit = nn.Linear(width, 1)

    def forward(self, cats: Tensor, nums: Tensor) -> Tensor:
        x = torch.cat((self.fields(cats), nums), dim=-1)
        for block in self.blocks:
            x = block(x)
        return self.logit(x)[:, 0]


CTRNet()(torch.randint(0, 7, (4, 3)), torch.randn(4, 4))

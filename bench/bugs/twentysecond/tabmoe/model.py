"""Rows of a table to classes: embeddings of categories, numbers in pieces, experts."""

import torch
import torch.nn as nn

from .columns import CATEGORIES, NUMERIC, embedding_width
from .layers import MoE, PiecewiseLinear


class TabularMoE(nn.Module):
    def __init__(self, n_classes=3, dim=64, bins=8, hidden=128, depth=2, n_experts=4):
        super().__init__()
        self.embeddings = nn.ModuleDict({name: nn.Embedding(n, embedding_width(n)) for name, n in CATEGORIES.items()})
        self.numbers = PiecewiseLinear(len(NUMERIC), bins)
        width = sum(embedding_width(n) for n in CATEGORIES.values()) + len(NUMERIC) * bins
        self.stem = nn.Sequential(nn.Linear(width, dim), nn.BatchNorm1d(dim), nn.ReLU())
        self.layers = nn.ModuleList([MoE(dim, hidden, n_experts) for _ in range(depth)])
        self.head = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, n_classes))
        self.value = nn.Linear(dim, 1)

    def forward(self, categories, numbers):
        parts = [table(categories[:, i]) for i, table in enumerate(self.embeddings.values())]
        parts.append(self.numbers(numbers).flatten(1))
        x = self.stem(torch.cat(parts, dim=1))
        balance = 0.0
        for layer in self.layers:
            x, b = layer(x)
            balance = balance + b
        return self.head(x), self.value(x).squeeze(-1), balance

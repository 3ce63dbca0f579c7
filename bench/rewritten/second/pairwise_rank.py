from __future__ import annotations

import torch
import torch.nn as nn
from torch import Tensor


class Ranker(nn.Module):
    """Scores every candidate document against its query."""

    def __init__(self, dim: int, hidden: int = 16) -> None:
        super().__init__()
        self.query_net = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU())
        self.doc_net = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU())
        self.score = nn.Linear(hidden, 1)

    def _interact(self, query: Tensor, docs: Tensor) -> Tensor:
        n_docs = docs.size(1)
        tiled = query.unsqueeze(1).repeat(1, n_docs, 1)
        return torch.abs(tiled - docs)

    def forward(self, query: Tensor, docs: Tensor) -> Tensor:
        features = self._interact(self.query_net(query), self.doc_net(docs))
        return self.score(features).squeeze(-1)


Ranker(10)(torch.randn(2, 10), torch.randn(2, 5, 10))

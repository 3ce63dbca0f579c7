from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class PoolerConfig:
    d_model: int = 16
    n_classes: int = 3
    score_hidden: int = 8


class SpanPooler(nn.Module):
    """Pools the tokens of each sentence with one learned score per token."""

    def __init__(self, cfg: PoolerConfig) -> None:
        super().__init__()
        self.cfg = cfg
        self.score = nn.Sequential(
            nn.Linear(cfg.d_model, cfg.score_hidden),
            nn.Tanh(),
            nn.Linear(cfg.score_hidden, 1),
        )
        self.out = nn.Linear(cfg.d_model, cfg.n_classes)

    def _weights(self, tokens: Tensor) -> Tensor:
        scores = self.score(tokens).squeeze(-1)     # (batch, time)
        return torch.softmax(scores, 0)

    def forward(self, tokens: Tensor) -> Tensor:
        weights = self._weights(tokens)
        # weighted sum over the tokens of a sentence
        pooled = (weights.unsqueeze(-1) * tokens).sum(dim=1)
        return self.out(pooled)


SpanPooler(PoolerConfig())(torch.randn(3, 7, 16))

from __future__ import annotations

import torch
import torch.nn as nn
from torch import Tensor


class PolicyWithValue(nn.Module):
    """Language policy and value estimate, both read from the last hidden state."""

    def __init__(self, vocab: int, dim: int = 16) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.norm = nn.LayerNorm(dim)
        self.lm_head = nn.Linear(dim, vocab, bias=False)
        self.value_head = nn.Linear(dim, 1, bias=False)
        self._tie()

    def _tie(self) -> None:
        self.lm_head.weight = self.embed.weight

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.rnn(self.embed(ids))
        hidden = self.norm(hidden)
        logits = self.lm_head(hidden)
        value = self.value_head(hidden)
        return logits.log_softmax(dim=-1), value.squeeze(-1)


PolicyWithValue(23)(torch.randint(0, 23, (2, 6)))

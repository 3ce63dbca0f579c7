from __future__ import annotations

import torch
import torch.nn as nn
from torch import Tensor


class CopyGenerator(nn.Module):
    """Pointer-generator head: mixes generating a word with copying one."""

    def __init__(self, dim: int, vocab: int) -> None:
        super().__init__()
        self.vocab = vocab
        self.generate = nn.Linear(dim, vocab)
        self.switch = nn.Linear(dim, 1)

    def _copy_distribution(self, weights: Tensor, source: Tensor) -> Tensor:
        empty = weights.new_zeros(weights.size(0), self.vocab)
        return empty.scatter_add(1, source, weights)

    def forward(self, state: Tensor, weights: Tensor, source: Tensor) -> Tensor:
        vocab_dist = self.generate(state).softmax(dim=-1)
        copy_dist = self._copy_distribution(weights, source)
        mask = torch.sigmoid(self.switch(state))
        mixed = vocab_dist * mask + copy_dist * (1 - mask)
        return torch.log(mixed + 1e-9)


CopyGenerator(8, 15)(
    torch.randn(2, 8),
    torch.randn(2, 6).softmax(dim=-1),
    torch.randint(0, 15, (2, 6)),
)

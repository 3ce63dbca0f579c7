from __future__ import annotations

import torch
import torch.nn as nn
from torch import Tensor


class TrimmedGRU(nn.Module):
    """Does not spend steps on columns that are padding for everybody."""

    def __init__(self, features: int, hidden: int = 8) -> None:
        super().__init__()
        self.cell = nn.GRUCell(features, hidden)
        self.hidden = hidden
        self.out = nn.Linear(hidden, 2)

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        longest = int(lengths.max().item())
        x = x[:, :longest]

        state = x.new_zeros(x.size(0), self.hidden)
        for t in range(longest):
            alive = (t < lengths).unsqueeze(-1)
            state = torch.where(alive, self.cell(x[:, t], state), state)
        return self.out(state)


TrimmedGRU(4)(torch.randn(3, 9, 4), torch.tensor([5, 2, 6]))

from __future__ import annotations

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class Member(nn.Module):
    def __init__(self, features: int, classes: int, hidden: int = 12) -> None:
        super().__init__()
        self.fc1 = nn.Linear(features, hidden)
        self.fc2 = nn.Linear(hidden, classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(torch.relu(self.fc1(x)))


class Ensemble(nn.Module):
    """Log-probabilities of the mixture of all members."""

    def __init__(self, features: int, classes: int, members: int = 3) -> None:
        super().__init__()
        self.members = nn.ModuleList([Member(features, classes) for _ in range(members)])

    def forward(self, x: Tensor) -> Tensor:
        logits = torch.stack([m(x) for m in self.members], dim=0)
        probs = F.softmax(logits, dim=-1).mean(dim=0)
        return torch.log(probs)


Ensemble(6, 4)(torch.randn(5, 6))

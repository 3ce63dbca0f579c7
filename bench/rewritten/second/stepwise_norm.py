from __future__ import annotations

import torch
import torch.nn as nn
from torch import Tensor


def make_step(d_in: int, d_out: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(d_in, d_out, bias=False),
        nn.BatchNorm1d(d_out),
        nn.ReLU(),
    )


class SensorEncoder(nn.Module):
    """Encodes each reading on its own, then summarises the sequence."""

    def __init__(self, sensors: int, hidden: int = 12, classes: int = 3) -> None:
        super().__init__()
        self.step = make_step(sensors, hidden)
        self.rnn = nn.GRU(hidden, hidden, batch_first=True)
        self.head = nn.Linear(hidden, classes)

    def forward(self, readings: Tensor) -> Tensor:
        encoded = torch.stack([self.step(r) for r in readings.unbind(dim=1)], dim=1)
        _, last = self.rnn(encoded)
        return self.head(last[-1])


SensorEncoder(5)(torch.randn(4, 6, 5))

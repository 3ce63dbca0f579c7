from typing import List

import torch
import torch.nn as nn
import torch.nn.functional as F


class StepMLP(nn.Module):
    """Features of one trading day."""

    def __init__(self, n_in: int, dim: int) -> None:
        super().__init__()
        self.fc1 = nn.Linear(n_in, dim)
        self.ln = nn.LayerNorm(dim)
        self.fc2 = nn.Linear(dim, dim)

    def forward(self, day: torch.Tensor) -> torch.Tensor:
        return self.fc2(F.gelu(self.ln(self.fc1(day))))


class Temporal(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(dim, dim, batch_first=True)

    def forward(self, seq: torch.Tensor) -> torch.Tensor:
        out, _ = self.lstm(seq)
        return out[:, -1]


class TickerModel(nn.Module):
    def __init__(self, n_in: int = 6, dim: int = 16, horizon: int = 2) -> None:
        super().__init__()
        self.step_mlp = StepMLP(n_in, dim)
        self.temporal = Temporal(dim)
        self.returns = nn.Linear(dim, horizon)

    def encode_days(self, window: torch.Tensor) -> torch.Tensor:
        days: List[torch.Tensor] = []
        for t in range(window.size(1)):
            day = window[:, t, :]
            days.append(self.step_mlp(day))
        return torch.stack(days, dim=1)

    def forward(self, window: torch.Tensor) -> torch.Tensor:
        return self.returns(self.temporal(self.encode_days(window)))


TickerModel()(torch.randn(3, 10, 6))

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn as nn
from torch import Tensor


@dataclass
class QuantConfig:
    bits: int = 8
    dim: int = 10

    @property
    def levels(self) -> int:
        return 2 ** (self.bits - 1) - 1


class FakeQuant(nn.Module):
    """Rounds in the forward pass, passes gradients straight through."""

    def __init__(self, cfg: QuantConfig) -> None:
        super().__init__()
        self.levels = cfg.levels

    def _step(self, x: Tensor):
        peak = x.detach().abs().max().item()
        return (peak + 1e-8) / self.levels

    def forward(self, x: Tensor) -> Tensor:
        step = self._step(x)
        rounded = torch.round(x / step) * step
        return x + (rounded - x).detach()


class QuantMLP(nn.Module):
    def __init__(self, cfg: QuantConfig) -> None:
        super().__init__()
        self.quant = FakeQuant(cfg)
        self.fc1 = nn.Linear(cfg.dim, 2 * cfg.dim)
        self.fc2 = nn.Linear(2 * cfg.dim, cfg.dim)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(self.quant(torch.relu(self.fc1(self.quant(x)))))


QuantMLP(QuantConfig())(torch.randn(3, 10))

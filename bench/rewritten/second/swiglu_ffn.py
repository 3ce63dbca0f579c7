from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn as nn
from torch import Tensor
from torch.nn import functional as F


@dataclass
class FFNConfig:
    dim: int = 16
    multiple_of: int = 8
    eps: float = 1e-6

    @property
    def hidden(self) -> int:
        raw = int(8 * self.dim / 3)
        return self.multiple_of * ((raw + self.multiple_of - 1) // self.multiple_of)


class FeedForward(nn.Module):
    def __init__(self, cfg: FFNConfig) -> None:
        super().__init__()
        self.w1 = nn.Linear(cfg.dim, cfg.hidden, bias=False)
        self.w2 = nn.Linear(cfg.hidden, cfg.dim, bias=False)
        self.w3 = nn.Linear(cfg.dim, cfg.hidden, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Layer(nn.Module):
    def __init__(self, cfg: FFNConfig) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(cfg.dim, eps=cfg.eps)
        self.ffn = FeedForward(cfg)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.ffn(self.norm(x))


Layer(FFNConfig())(torch.randn(2, 5, 16))

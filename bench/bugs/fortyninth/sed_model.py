"""CRNN with gated convolutions and attention pooling, as the DCASE baselines have it."""

import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F


@dataclass
class ModelConfig:
    n_mels: int = 32
    n_classes: int = 3
    channels: tuple[int, ...] = (8, 16, 16)
    pools: tuple[tuple[int, int], ...] = ((2, 2), (2, 2), (1, 4))
    hidden: int = 24
    dropout: float = 0.1

    @property
    def time_pool(self) -> int:
        return math.prod(t for t, _ in self.pools)

    @property
    def freq_left(self) -> int:
        return self.n_mels // math.prod(f for _, f in self.pools)


class GatedBlock(nn.Module):
    def __init__(self, n_in: int, n_out: int, pool: tuple[int, int], dropout: float):
        super().__init__()
        self.conv = nn.Conv2d(n_in, 2 * n_out, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(2 * n_out)
        self.pool = nn.AvgPool2d(pool)
        self.drop = nn.Dropout2d(dropout)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.norm(self.conv(x))
        x = F.glu(x, dim=1)
        return self.drop(self.pool(x))


class AttentionPool(nn.Module):
    """Weighted mean over time, one weight per frame and class."""

    def __init__(self, n_in: int, n_classes: int):
        super().__init__()
        self.frame = nn.Linear(n_in, n_classes)
        self.attention = nn.Linear(n_in, n_classes)

    def forward(self, h: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        logits = self.frame(h)
        weights = torch.softmax(self.attention(h), dim=1)
        weak = (torch.sigmoid(logits) * weights).sum(dim=1)
        return logits, weak


class CRNN(nn.Module):
    def __init__(self, cfg: ModelConfig):
        super().__init__()
        self.cfg = cfg
        sizes = (1, *cfg.channels)
        self.blocks = nn.Sequential(
            *(GatedBlock(a, b, pool, cfg.dropout) for a, b, pool in zip(sizes, sizes[1:], cfg.pools))
        )
        self.rnn = nn.GRU(
            cfg.channels[-1] * cfg.freq_left, cfg.hidden, num_layers=2, batch_first=True, bidirectional=True
        )
        self.norm = nn.LayerNorm(2 * cfg.hidden)
        self.head = AttentionPool(2 * cfg.hidden, cfg.n_classes)

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = self.blocks(features.unsqueeze(1))  # [batch, channels, time, mels]
        x = x.transpose(1, 2).flatten(2)
        h, _ = self.rnn(x)
        return self.head(self.norm(h))

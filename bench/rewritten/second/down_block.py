from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn, Tensor


@dataclass(frozen=True)
class StageConfig:
    in_channels: int
    out_channels: int
    stride: int = 2


def conv_bn(cin: int, cout: int, kernel: int, stride: int = 1) -> list[nn.Module]:
    return [
        nn.Conv2d(cin, cout, kernel, stride=stride, padding=kernel // 2),
        nn.BatchNorm2d(cout),
    ]


class DownBlock(nn.Module):
    """Strided residual stage."""

    def __init__(self, cfg: StageConfig) -> None:
        super().__init__()
        self.body = nn.Sequential(
            *conv_bn(cfg.in_channels, cfg.out_channels, 3, cfg.stride),
            nn.ReLU(inplace=True),
            *conv_bn(cfg.out_channels, cfg.out_channels, 3),
        )
        self.skip = nn.AvgPool2d(cfg.stride)
        self.match = nn.Conv2d(cfg.in_channels, cfg.out_channels, 1)
        self.act = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        return self.act(self.body(x) + self.match(self.skip(x)))


DownBlock(StageConfig(3, 8))(torch.randn(2, 3, 8, 8))

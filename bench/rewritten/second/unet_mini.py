from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F


@dataclass
class UNetConfig:
    in_channels: int = 1
    width: int = 6
    classes: int = 2


def double_conv(cin: int, cout: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1),
        nn.ReLU(inplace=True),
        nn.Conv2d(cout, cout, 3, padding=1),
        nn.ReLU(inplace=True),
    )


class MiniUNet(nn.Module):
    def __init__(self, cfg: UNetConfig) -> None:
        super().__init__()
        w = cfg.width
        self.enc1 = double_conv(cfg.in_channels, w)
        self.enc2 = double_conv(w, 2 * w)
        self.bridge = double_conv(2 * w, 2 * w)
        self.up = nn.ConvTranspose2d(2 * w, w, kernel_size=2, stride=2)
        self.dec1 = double_conv(2 * w, w)
        self.head = nn.Conv2d(w, cfg.classes, kernel_size=1)

    def forward(self, image: Tensor) -> Tensor:
        s1 = self.enc1(image)
        s2 = self.enc2(F.max_pool2d(s1, 2))
        u1 = self.dec1(torch.cat([s1, self.up(s2)], dim=1))
        return self.head(u1)


MiniUNet(UNetConfig())(torch.randn(2, 1, 8, 8))

"""Puts coordinate attention behind a convolution, and compares it with the simple variant."""

import torch
from torch import nn

from coord_attention import CoordAttn, SimpleCoordAttn


class Stage(nn.Module):
    def __init__(self, in_channels, channels):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, channels, kernel_size=3, stride=2, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(channels)
        self.coord = CoordAttn(channels)
        self.simple = SimpleCoordAttn(channels, has_skip=True)

    def forward(self, x):
        x = self.norm(self.conv(x)).relu()
        return self.coord(x) + self.simple(x)


if __name__ == "__main__":
    stage = Stage(16, 64)
    print(stage(torch.randn(4, 16, 56, 40)).shape)

from __future__ import annotations

import torch
import torch.nn as nn
from torch import Tensor


def channel_gate(descriptor: Tensor, reduce: nn.Linear, restore: nn.Linear) -> Tensor:
    """One value in (0, 1) per channel."""
    hidden = torch.relu(reduce(descriptor))
    return torch.sigmoid(restore(hidden)).clone()


class SqueezeExcite(nn.Module):
    def __init__(self, channels: int, ratio: int = 4) -> None:
        super().__init__()
        self.reduce = nn.Linear(channels, channels // ratio)
        self.restore = nn.Linear(channels // ratio, channels)

    def forward(self, x: Tensor) -> Tensor:
        gate = channel_gate(x.mean(dim=(2, 3)), self.reduce, self.restore)
        return x * gate[:, :, None, None]


class Stem(nn.Module):
    def __init__(self, channels: int = 8) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, channels, kernel_size=3, padding=1)
        self.attention = SqueezeExcite(channels)

    def forward(self, image: Tensor) -> Tensor:
        return self.attention(torch.relu(self.conv(image)))


Stem()(torch.randn(2, 3, 6, 6))

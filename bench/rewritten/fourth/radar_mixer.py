import torch
import torch.nn as nn


class Residual(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x):
        return self.fn(x) + x


def conv_act_bn(cin, cout, k, groups=1):
    return nn.Sequential(
        nn.Conv2d(cin, cout, k, padding=k // 2, groups=groups),
        nn.GELU(),
        nn.BatchNorm2d(cout),
    )


class MixerLayer(nn.Module):
    def __init__(self, dim, k):
        super().__init__()
        self.depthwise = Residual(conv_act_bn(dim, dim, k, groups=dim))
        self.pointwise = conv_act_bn(dim, dim, 1)

    def forward(self, x):
        return self.pointwise(self.depthwise(x))


class RadarNowcaster(nn.Module):
    """Next radar frame from the last few."""

    def __init__(self, frames=4, dim=8, depth=2):
        super().__init__()
        self.stem = conv_act_bn(frames, dim, 3)
        self.body = nn.Sequential(*(MixerLayer(dim, 5) for _ in range(depth)))
        self.head = nn.Conv2d(dim, 1, 1)

    def forward(self, seq):
        last = seq[:, -1:]
        return last + self.head(self.body(self.stem(seq)))


RadarNowcaster()(torch.rand(2, 4, 10, 10))

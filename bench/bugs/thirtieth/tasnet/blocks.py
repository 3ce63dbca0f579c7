"""Depthwise blocks with dilation."""

import torch
from torch import nn

from .config import BlockConfig


class ChannelNorm(nn.Module):
    """Norm over channels and time, with a gain for each channel."""

    def __init__(self, channels: int):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(1, channels, 1))
        self.shift = nn.Parameter(torch.zeros(1, channels, 1))

    def forward(self, x):
        mean = x.mean(dim=(1, 2), keepdim=True)
        var = (x - mean).pow(2).mean(dim=(1, 2), keepdim=True)
        return self.gain * (x - mean) / (var + 1e-8).sqrt() + self.shift


class TemporalBlock(nn.Module):
    def __init__(self, cfg: BlockConfig, dilation: int):
        super().__init__()
        self.expand = nn.Sequential(nn.Conv1d(cfg.bottleneck, cfg.hidden, 1), nn.PReLU(), ChannelNorm(cfg.hidden))
        self.depthwise = nn.Conv1d(
            cfg.hidden,
            cfg.hidden,
            cfg.kernel,
            padding=dilation * (cfg.kernel - 1) // 2,
            dilation=dilation,
            groups=cfg.hidden,
        )
        self.after = nn.Sequential(nn.PReLU(), ChannelNorm(cfg.hidden))
        self.residual = nn.Conv1d(cfg.hidden, cfg.bottleneck, 1)
        self.skip = nn.Conv1d(cfg.hidden, cfg.bottleneck, 1)

    def forward(self, x):
        h = self.after(self.depthwise(self.expand(x)))
        return x + self.residual(h), self.skip(h)

"""Temporal convolution network that forecasts load and price from hourly measurements."""
from dataclasses import dataclass
from typing import Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class TCNConfig:
    n_features: int = 7
    n_targets: int = 2
    horizon: int = 24
    channels: Tuple[int, ...] = (32, 32, 48, 64)
    kernel_size: int = 3
    dropout: float = 0.1


class CausalConv1d(nn.Module):
    def __init__(self, in_ch: int, out_ch: int, kernel_size: int, dilation: int):
        super().__init__()
        self.left = (kernel_size - 1) * dilation
        self.conv = nn.Conv1d(in_ch, out_ch, kernel_size, dilation=dilation)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(F.pad(x, (self.left, 0)))


class TemporalBlock(nn.Module):
    def __init__(self, in_ch: int, out_ch: int, kernel_size: int, dilation: int, dropout: float):
        super().__init__()
        self.conv1 = CausalConv1d(in_ch, out_ch, kernel_size, dilation)
        self.conv2 = CausalConv1d(out_ch, out_ch, kernel_size, dilation)
        self.drop = nn.Dropout(dropout)
        self.down = nn.Conv1d(in_ch, out_ch, 1) if in_ch != out_ch else nn.Identity()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out = self.drop(F.relu(self.conv1(x)))
        out = self.drop(F.relu(self.conv2(out)))
        res = self.down(x)
        return F.relu(out + res)


class TCN(nn.Module):
    def __init__(self, cfg: TCNConfig):
        super().__init__()
        self.cfg = cfg
        self.embed = nn.Linear(cfg.n_features, cfg.channels[0])
        self.embed_norm = nn.LayerNorm(cfg.channels[0])
        blocks = []
        for i in range(len(cfg.channels) - 1):
            blocks.append(
                TemporalBlock(cfg.channels[i], cfg.channels[i + 1], cfg.kernel_size, 2 ** i, cfg.dropout)
            )
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(cfg.channels[-1], cfg.horizon * cfg.n_targets)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: [batch, time, n_features] -> [batch, horizon, n_targets]"""
        mean = x.mean(dim=1, keepdim=True)
        std = x.std(dim=1, keepdim=True) + 1e-5
        x = (x - mean) / std
        x = self.embed_norm(self.embed(x))
        x = x.transpose(1, 2)
        h = self.blocks(x)
        y = self.head(h[:, :, -1])
        return y.view(x.size(0), self.cfg.horizon, self.cfg.n_targets)

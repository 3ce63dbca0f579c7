import torch
import torch.nn as nn
import torch.nn.functional as F


class ChannelMixer(nn.Module):
    def __init__(self, n_vars, hidden):
        super().__init__()
        self.up = nn.Linear(n_vars, hidden)
        self.down = nn.Linear(hidden, n_vars)
        self.norm = nn.LayerNorm(n_vars)

    def forward(self, x):
        # x: (batch, time, vars)
        return x + self.down(F.gelu(self.up(self.norm(x))))


class TimeMixer(nn.Module):
    def __init__(self, length, hidden):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(length, hidden),
            nn.GELU(),
            nn.Linear(hidden, length),
        )

    def forward(self, x):
        z = self.net(x.transpose(1, 2))
        return x + z.transpose(1, 2)


class MixerBlock(nn.Module):
    def __init__(self, length, n_vars, hidden):
        super().__init__()
        self.time = TimeMixer(length, hidden)
        self.channel = ChannelMixer(n_vars, hidden)

    def forward(self, x):
        x = self.time(x)
        x = x.transpose(1, 2)
        x = x.permute(0, 2, 1)
        return self.channel(x)


class Forecaster(nn.Module):
    def __init__(self, length=24, horizon=6, n_vars=5, hidden=16, depth=2):
        super().__init__()
        self.blocks = nn.ModuleList([MixerBlock(length, n_vars, hidden) for _ in range(depth)])
        self.project = nn.Linear(length, horizon)

    def forward(self, history):
        level = history.mean(dim=1, keepdim=True)
        x = history - level
        for block in self.blocks:
            x = block(x)
        y = self.project(x.transpose(1, 2)).transpose(1, 2)
        return y + level


Forecaster()(torch.randn(3, 24, 5))

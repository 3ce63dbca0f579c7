"""Forecasts with a temporal convolutional network (Bai 2018): causal, dilated, residual; quantiles come out."""

import torch
import torch.nn as nn
from torch.nn.utils.parametrizations import weight_norm


class Chomp1d(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size

    def forward(self, x):
        return x[:, :, : -self.size].contiguous()


class TemporalBlock(nn.Module):
    def __init__(self, n_inputs, n_outputs, kernel_size, dilation, dropout=0.2):
        super().__init__()
        padding = (kernel_size - 1) * dilation
        self.conv1 = weight_norm(nn.Conv1d(n_inputs, n_outputs, kernel_size, padding=padding, dilation=dilation))
        self.conv2 = weight_norm(nn.Conv1d(n_outputs, n_outputs, kernel_size, padding=padding, dilation=dilation))
        self.net = nn.Sequential(
            self.conv1, Chomp1d(padding), nn.ReLU(), nn.Dropout(dropout),
            self.conv2, Chomp1d(padding), nn.ReLU(), nn.Dropout(dropout),
        )  # fmt: skip
        self.downsample = nn.Conv1d(n_inputs, n_outputs, 1) if n_inputs != n_outputs else None
        self.relu = nn.ReLU()

    def forward(self, x):
        res = x if self.downsample is None else self.downsample(x)
        return self.relu(self.net(x) + res)


class Forecaster(nn.Module):
    def __init__(self, series=5, calendar=4, channels=(16, 16, 32), kernel_size=3, horizon=12, quantiles=3):
        super().__init__()
        blocks = []
        for level, width in enumerate(channels):
            previous = series + calendar if level == 0 else channels[level - 1]
            blocks.append(TemporalBlock(previous, width, kernel_size, dilation=2**level))
        self.tcn = nn.Sequential(*blocks)
        self.weekday = nn.Embedding(7, calendar)
        self.horizon, self.quantiles = horizon, quantiles
        self.head = nn.Linear(channels[-1], horizon * quantiles)
        self.scale = nn.Parameter(torch.ones(horizon, 1))

    def forward(self, history, weekday):
        mean = history.mean(dim=1, keepdim=True)
        std = history.std(dim=1, keepdim=True) + 1e-5
        x = torch.cat([(history - mean) / std, self.weekday(weekday)], dim=-1)
        x = self.tcn(x.transpose(1, 2))
        out = self.head(x[:, :, -1]).view(-1, self.horizon, self.quantiles)
        return out * self.scale + mean[:, :, :1]


def pinball(prediction, target, quantiles):
    error = target.unsqueeze(-1) - prediction
    return torch.maximum(quantiles * error, (quantiles - 1) * error).mean()


if __name__ == "__main__":
    history = torch.randn(8, 48, 5)
    weekday = torch.randint(0, 7, (8, 48))
    target = torch.randn(8, 12)
    quantiles = torch.tensor([0.1, 0.5, 0.9])
    print(pinball(Forecaster()(history, weekday), target, quantiles).item())

"""Forecasts of several series: calendar embeddings, dilated convolutions, a GRU decoder that is fed its own output."""

import torch
import torch.nn as nn
from torch.nn.utils import weight_norm


class CausalConv1d(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, dilation):
        super().__init__()
        self.pad = (kernel_size - 1) * dilation
        self.conv = weight_norm(nn.Conv1d(in_channels, out_channels, kernel_size, padding=self.pad, dilation=dilation))

    def forward(self, x):
        return self.conv(x)[:, :, : -self.pad]


class ResidualStack(nn.Module):
    def __init__(self, in_channels, channels, kernel_size=3):
        super().__init__()
        self.project = nn.Conv1d(in_channels, channels, 1)
        self.filters = nn.ModuleList([CausalConv1d(channels, 2 * channels, kernel_size, 2**i) for i in range(3)])
        self.skips = nn.ModuleList([nn.Conv1d(channels, channels, 1) for _ in range(3)])
        self.norm = nn.BatchNorm1d(channels)

    def forward(self, x):
        x = self.project(x)
        total = 0
        for conv, skip in zip(self.filters, self.skips):
            a, b = conv(x).chunk(2, dim=1)
            h = torch.tanh(a) * torch.sigmoid(b)
            total = total + skip(h)
            x = x + h
        return self.norm(total)


class Forecaster(nn.Module):
    def __init__(self, n_series=4, channels=26, emb=5, hidden=30, horizon=6):
        super().__init__()
        self.horizon = horizon
        self.weekday = nn.Embedding(7, emb)
        self.month = nn.Embedding(12, emb)
        self.tcn = ResidualStack(n_series + 2 * emb, channels)
        self.cell = nn.GRUCell(n_series + channels, hidden)
        self.init_hidden = nn.Linear(channels, hidden)
        self.out = nn.Linear(hidden, n_series)
        self.scale = nn.Parameter(torch.ones(n_series))

    def forward(self, x, weekday, month):
        # x: batch, time, series
        mean = x.mean(dim=1, keepdim=True)
        std = x.std(dim=1, keepdim=True) + 1e-5
        normed = (x - mean) / std
        calendar = torch.cat([self.weekday(weekday), self.month(month)], dim=-1)
        features = torch.cat([normed, calendar], dim=-1).transpose(1, 2)
        context = self.tcn(features)[:, :, -1]
        hidden = torch.tanh(self.init_hidden(context))
        y = normed[:, -1]
        steps = []
        for _ in range(self.horizon):
            hidden = self.cell(torch.cat([y, context], dim=-1), hidden)
            y = self.out(hidden) * self.scale
            steps.append(y)
        pred = torch.stack(steps, dim=1)
        return pred * std + mean


class PinballLoss(nn.Module):
    def __init__(self, model, quantile=0.7):
        super().__init__()
        self.model, self.quantile = model, quantile

    def forward(self, x, weekday, month, target):
        error = target - self.model(x, weekday, month)
        return torch.maximum(self.quantile * error, (self.quantile - 1) * error).mean()


def main():
    model = PinballLoss(Forecaster())
    x = torch.randn(3, 50, 4)
    weekday = torch.randint(0, 7, (3, 50))
    month = torch.randint(0, 12, (3, 50))
    loss = model(x, weekday, month, torch.randn(3, 6, 4))
    loss.backward()


if __name__ == "__main__":
    main()

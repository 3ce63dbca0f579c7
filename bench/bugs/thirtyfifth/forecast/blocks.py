# building blocks for the forecaster
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class RevIN(nn.Module):
    """Reversible instance normalisation over time, one scale and shift per series."""

    def __init__(self, num_series, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(num_series))
        self.beta = nn.Parameter(torch.zeros(num_series))

    def normalise(self, x):
        # x: (batch, time, series)
        mean = x.mean(dim=1, keepdim=True)
        std = torch.sqrt(x.var(dim=1, keepdim=True, unbiased=False) + self.eps)
        return (x - mean) / std * self.gamma + self.beta, (mean, std)

    def denormalise(self, y, stats):
        # y: (batch, horizon, series, quantiles)
        mean, std = stats
        y = (y - self.beta[:, None]) / (self.gamma[:, None] + self.eps)
        return y * std.unsqueeze(-1) + mean.unsqueeze(-1)


class GatedTemporalBlock(nn.Module):
    """Causal dilated convolution with a gate, a residual and a skip output."""

    def __init__(self, channels, skip_channels, kernel_size, dilation):
        super().__init__()
        self.left_pad = (kernel_size - 1) * dilation
        self.conv = nn.Conv1d(channels, 2 * channels, kernel_size, dilation=dilation)
        self.residual = nn.Conv1d(channels, channels, 1)
        self.skip = nn.Conv1d(channels, skip_channels, 1)
        self.norm = nn.BatchNorm1d(channels)

    def forward(self, x):
        h = F.glu(self.conv(F.pad(x, (self.left_pad, 0))), dim=1)
        return self.norm(x + self.residual(h)), self.skip(h)


class TemporalEncoder(nn.Module):
    def __init__(self, in_features, channels, skip_channels, kernel_size=3, levels=3):
        super().__init__()
        self.input = nn.Conv1d(in_features, channels, 1)
        self.blocks = nn.ModuleList(
            [GatedTemporalBlock(channels, skip_channels, kernel_size, 2 ** i) for i in range(levels)]
        )

    def forward(self, x):
        h = self.input(x.transpose(1, 2))
        total = 0
        for block in self.blocks:
            h, s = block(h)
            total = total + s
        return F.relu(total).transpose(1, 2)


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=64):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        div = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, d_model)
        pe[:, 0::2] = torch.sin(position * div)
        pe[:, 1::2] = torch.cos(position * div)
        self.register_buffer("pe", pe)

    def forward(self, x, offset=0):
        return x + self.pe[offset:offset + x.size(1)]


def padding_mask(lengths, total):
    """True where a position is padding (histories are padded on the left)."""
    return torch.arange(total).unsqueeze(0) < (total - lengths).unsqueeze(1)


def quantile_loss(pred, target, quantiles, weight=None):
    # pred: (batch, horizon, series, quantiles), target: (batch, horizon, series)
    error = target.unsqueeze(-1) - pred
    q = torch.tensor(quantiles)
    loss = torch.maximum(q * error, (q - 1) * error).mean(dim=-1)
    if weight is not None:
        loss = loss * weight
    return loss.mean()

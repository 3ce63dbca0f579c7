import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class RevIN(nn.Module):
    """Each series loses its mean and deviation, and gets them back."""

    def __init__(self, num_features, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))

    def normalize(self, x):
        self.mean = x.mean(dim=1, keepdim=True).detach()
        self.std = (x.var(dim=1, keepdim=True, unbiased=False) + self.eps).sqrt().detach()
        return (x - self.mean) / self.std * self.weight + self.bias

    def restore(self, y):
        return (y - self.bias) / (self.weight + self.eps) * self.std + self.mean


class MovingAverage(nn.Module):
    def __init__(self, kernel_size):
        super().__init__()
        self.kernel_size = kernel_size
        self.avg = nn.AvgPool1d(kernel_size, stride=1)

    def forward(self, x):
        side = (self.kernel_size - 1) // 2
        front = x[:, :1].repeat(1, side, 1)
        end = x[:, -1:].repeat(1, side, 1)
        x = torch.cat([front, x, end], dim=1)
        return self.avg(x.transpose(1, 2)).transpose(1, 2)


class SeriesDecomp(nn.Module):
    def __init__(self, kernel_size):
        super().__init__()
        self.moving_avg = MovingAverage(kernel_size)

    def forward(self, x):
        trend = self.moving_avg(x)
        return x - trend, trend


class AutoCorrelation(nn.Module):
    def __init__(self, d_model, n_heads, factor=1):
        super().__init__()
        self.n_heads, self.factor = n_heads, factor
        self.q, self.k, self.v = (nn.Linear(d_model, d_model) for _ in range(3))
        self.out = nn.Linear(d_model, d_model)

    def forward(self, queries, keys, values):
        B, L, D = queries.shape
        S = keys.size(1)
        if L > S:
            keys = F.pad(keys, (0, 0, 0, L - S))
            values = F.pad(values, (0, 0, 0, L - S))
        else:
            keys, values = keys[:, :L], values[:, :L]
        H = self.n_heads
        q = self.q(queries).view(B, L, H, D // H).permute(0, 2, 3, 1)
        k = self.k(keys).view(B, L, H, D // H).permute(0, 2, 3, 1)
        v = self.v(values).view(B, L, H, D // H).permute(0, 2, 3, 1)
        spectrum = torch.fft.rfft(q, dim=-1) * torch.conj(torch.fft.rfft(k, dim=-1))
        corr = torch.fft.irfft(spectrum, n=L, dim=-1)
        top_k = max(1, int(self.factor * math.log(L)))
        weights, delay = corr.mean(dim=(1, 2)).topk(top_k, dim=-1)
        weights = weights.softmax(dim=-1)
        base = torch.arange(L).repeat(B, 1)
        doubled = torch.cat([v, v], dim=-1)
        agg = torch.zeros_like(v)
        for i in range(top_k):
            where = (base + delay[:, i : i + 1])[:, None, None, :].expand_as(v)
            agg = agg + torch.gather(doubled, -1, where) * weights[:, i].view(-1, 1, 1, 1)
        return self.out(agg.permute(0, 3, 1, 2).reshape(B, L, D))

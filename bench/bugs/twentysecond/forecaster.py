"""Loads of a grid, a day ahead: patches of the past, known future, stations as embeddings, quantiles out."""

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

HISTORY, HORIZON, COVARIATES, STATIONS = 96, 24, 5, 7
QUANTILES = [0.1, 0.5, 0.9]


class Windows(Dataset):
    def __init__(self, length=400, seed=0):
        rng = np.random.default_rng(seed)
        t = np.arange(length)
        self.load = (np.sin(t / 24 * 2 * np.pi)[:, None] + rng.normal(0, 0.1, (length, STATIONS))).astype(np.float32)
        self.covariates = rng.normal(size=(length, COVARIATES)).astype(np.float32)

    def __len__(self):
        return (len(self.load) - HISTORY - HORIZON) * STATIONS

    def __getitem__(self, i):
        start, station = divmod(i, STATIONS)
        mid, end = start + HISTORY, start + HISTORY + HORIZON
        past = self.load[start:mid, station : station + 1]
        return past, self.covariates[start:end], station, self.load[mid:end, station]


class RevIN(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(channels))
        self.shift = nn.Parameter(torch.zeros(channels))

    def forward(self, x):
        mean = x.mean(dim=1, keepdim=True)
        std = x.std(dim=1, keepdim=True) + 1e-5
        return (x - mean) / std * self.scale + self.shift, mean, std

    def undo(self, y, mean, std):
        return (y - self.shift) / self.scale * std + mean


class MovingAverage(nn.Module):
    def __init__(self, kernel=25):
        super().__init__()
        self.kernel = kernel
        self.pool = nn.AvgPool1d(kernel, stride=1)

    def forward(self, x):
        side = (self.kernel - 1) // 2
        front, back = x[:, :1].repeat(1, side, 1), x[:, -1:].repeat(1, side, 1)
        padded = torch.cat([front, x, back], dim=1)
        return self.pool(padded.transpose(1, 2)).transpose(1, 2)


class PatchEncoder(nn.Module):
    def __init__(self, channels, patch, stride, dim, heads, depth):
        super().__init__()
        self.patch, self.stride = patch, stride
        patches = (HISTORY - patch) // stride + 1
        self.embed = nn.Linear(patch * channels, dim)
        self.pos = nn.Parameter(torch.zeros(1, patches, dim))
        layer = nn.TransformerEncoderLayer(dim, heads, 2 * dim, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, depth)

    def forward(self, x):
        windows = x.unfold(1, self.patch, self.stride)
        tokens = self.embed(windows.flatten(2)) + self.pos
        return self.encoder(tokens)


class Forecaster(nn.Module):
    def __init__(self, dim=64, heads=4, depth=2, patch=16, stride=8):
        super().__init__()
        self.revin = RevIN(1)
        self.average = MovingAverage()
        self.encoder = PatchEncoder(2 + COVARIATES, patch, stride, dim, heads, depth)
        self.station = nn.Embedding(STATIONS, dim // 4)
        self.future = nn.LSTM(COVARIATES + dim // 4, dim, batch_first=True)
        self.to_state = nn.Linear(dim, 2 * dim)
        self.cross = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.norm = nn.LayerNorm(dim)
        self.out = nn.Linear(dim, len(QUANTILES))

    def forward(self, past, covariates, station):
        x, mean, std = self.revin(past)
        trend = self.average(x)
        x = torch.cat([x - trend, trend, covariates[:, :HISTORY]], dim=-1)
        memory = self.encoder(x)
        h, c = self.to_state(memory.mean(dim=1)).chunk(2, dim=-1)
        station = self.station(station)[:, None].expand(-1, HORIZON, -1)
        known = torch.cat([covariates[:, HISTORY:], station], dim=-1)
        y, _ = self.future(known, (h[None].contiguous(), c[None].contiguous()))
        seen, _ = self.cross(y, memory, memory)
        return self.revin.undo(self.out(self.norm(y + seen)), mean, std)


class QuantileLoss(nn.Module):
    def __init__(self, quantiles):
        super().__init__()
        self.register_buffer("q", torch.tensor(quantiles))

    def forward(self, pred, target):
        error = target.unsqueeze(-1) - pred
        return torch.maximum(self.q * error, (self.q - 1) * error).mean()


def main():
    loader = DataLoader(Windows(), batch_size=8, shuffle=True)
    model, criterion = Forecaster(), QuantileLoss(QUANTILES)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step, (past, covariates, station, target) in enumerate(loader):
        pred = model(past, covariates, station)
        loss = criterion(pred, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        naive = past[:, -HORIZON:, 0]
        skill = 1 - (pred[..., 1] - target).abs().mean() / (naive - target).abs().mean()
        print(step, loss.item(), skill.item())
        if step == 2:
            break


if __name__ == "__main__":
    main()

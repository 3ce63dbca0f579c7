"""Synthetic radar sequences: Gaussian rain cells that are advected by a constant wind."""

import math

import torch
from torch.utils.data import Dataset


def rain_cells(n_frames, size, n_cells, generator):
    """Rain rates in mm/h, [n_frames, size, size]."""
    pos = torch.rand(n_cells, 2, generator=generator) * size
    wind = torch.randn(2, generator=generator) * 1.5
    sigma = 2.0 + 3.0 * torch.rand(n_cells, generator=generator)
    peak = torch.rand(n_cells, generator=generator).add(0.2).mul(30.0)
    growth = 0.1 * torch.randn(n_cells, generator=generator)

    ys, xs = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    coords = torch.stack([ys, xs], dim=-1).float()

    frames = []
    for k in range(n_frames):
        centre = (pos + k * wind) % size
        d2 = (coords[None] - centre[:, None, None]).pow(2).sum(-1)
        amp = peak * torch.exp(growth * k)
        cells = amp[:, None, None] * torch.exp(-d2 / (2 * sigma[:, None, None] ** 2))
        frames.append(cells.sum(0))
    return torch.stack(frames)


def to_log(rain):
    return torch.log1p(rain) / math.log(50.0) * 2.0 - 1.0


class RadarDataset(Dataset):
    def __init__(self, length, size, context, orography_channels=2, seed=0):
        self.length = length
        self.size = size
        self.context = context
        self.seed = seed
        g = torch.Generator().manual_seed(seed)
        self.static = torch.randn(orography_channels, size, size, generator=g)

    def __len__(self):
        return self.length

    def __getitem__(self, i):
        if i >= self.length:
            raise IndexError(i)
        g = torch.Generator().manual_seed(self.seed * 100003 + i)
        frames = to_log(rain_cells(self.context + 1, self.size, 5, g))
        past, future = frames[: self.context], frames[self.context :]
        hour = torch.randint(0, 24, (), generator=g)
        cond = torch.cat([past, self.static], dim=0)
        return {"target": future, "cond": cond, "hour": hour}

import math

import torch
import torch.nn as nn


class FourierFeatures(nn.Module):
    """sin/cos features of 3-D points, octave by octave."""

    def __init__(self, octaves: int):
        super().__init__()
        self.octaves = octaves
        self.freqs = 2.0 ** torch.arange(octaves) * math.pi

    @property
    def out_dim(self) -> int:
        return 3 * (1 + 2 * self.octaves)

    def forward(self, xyz: torch.Tensor) -> torch.Tensor:
        angle = xyz.unsqueeze(-1) * self.freqs
        feats = [xyz.unsqueeze(-1), torch.sin(angle), torch.cos(angle)]
        return torch.cat(feats, dim=-1).flatten(-2)


class SkipMLP(nn.Module):
    def __init__(self, n_in: int, width: int):
        super().__init__()
        self.first = nn.Linear(n_in, width)
        self.second = nn.Linear(width + n_in, width)

    def forward(self, f):
        h = torch.relu(self.first(f))
        return torch.relu(self.second(torch.cat([h, f], dim=-1)))


class OccupancyField(nn.Module):
    def __init__(self, octaves: int = 4, width: int = 24):
        super().__init__()
        self.enc = FourierFeatures(octaves)
        self.mlp = SkipMLP(self.enc.out_dim, width)
        self.occ = nn.Linear(width, 1)

    def forward(self, xyz):
        return torch.sigmoid(self.occ(self.mlp(self.enc(xyz))))


OccupancyField()(torch.rand(2, 15, 3))

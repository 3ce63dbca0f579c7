import torch
import torch.nn as nn
import torch.nn.functional as F


def corrupt(x, every, fill):
    noisy = x.clone()
    noisy[:, ::every] = fill
    return noisy


class ColumnEncoder(nn.Module):
    def __init__(self, columns, dim):
        super().__init__()
        self.inp = nn.Linear(columns, dim)
        self.hid = nn.Linear(dim, dim)

    def forward(self, x):
        h = F.relu(self.inp(x))
        return h + F.relu(self.hid(h))


class Decoder(nn.Module):
    def __init__(self, dim, columns):
        super().__init__()
        self.net = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, columns))

    def forward(self, h):
        return self.net(h)


class TabularDenoiser(nn.Module):
    """Pretraining on tables: hide some columns, predict them from the others."""

    def __init__(self, columns=12, dim=16, every=3):
        super().__init__()
        self.every = every
        self.encoder = ColumnEncoder(columns, dim)
        self.decoder = Decoder(dim, columns)

    def forward(self, table):
        seen = corrupt(table, self.every, 0.0)
        rec = self.decoder(self.encoder(seen))
        hidden = rec[:, :: self.every]
        target = table[:, :: self.every]
        return F.mse_loss(hidden, target)


TabularDenoiser()(torch.randn(5, 12))

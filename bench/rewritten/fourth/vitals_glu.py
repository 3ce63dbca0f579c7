import torch
import torch.nn as nn


class VitalsEncoder(nn.Module):
    """Bedside measurements, one row per hour; missing ones come with an indicator."""

    def __init__(self, signals, dim):
        super().__init__()
        self.lin = nn.Linear(2 * signals, dim)
        self.gru = nn.GRU(dim, dim, batch_first=True)

    def forward(self, vals, seen):
        h = self.lin(torch.cat([vals, seen], dim=-1)).relu()
        out, _ = self.gru(h)
        return out


class GatedUnit(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.gate = nn.Linear(dim, hidden)
        self.up = nn.Linear(dim, hidden)
        self.down = nn.Linear(hidden, dim)

    def forward(self, x):
        skip = x
        g = torch.sigmoid(self.gate(x))
        x = self.norm(x)
        u = self.up(x)
        return skip + self.down(g * u)


class VitalsRisk(nn.Module):
    def __init__(self, signals=6, dim=16, depth=2):
        super().__init__()
        self.encoder = VitalsEncoder(signals, dim)
        self.units = nn.Sequential(*[GatedUnit(dim, 2 * dim) for _ in range(depth)])
        self.risk = nn.Linear(dim, 1)

    def forward(self, vals, seen):
        h = self.units(self.encoder(vals, seen))
        return self.risk(h[:, -1])


VitalsRisk()(torch.randn(3, 8, 6), torch.ones(3, 8, 6))

import torch
import torch.nn as nn


class FrozenGateUnit(nn.Module):
    """GLU with a random gate that is not trained."""

    def __init__(self, dim, hidden):
        super().__init__()
        self.gate = nn.Linear(dim, hidden)
        self.up = nn.Linear(dim, hidden)
        self.down = nn.Linear(hidden, dim)

        self.gate.requires_grad_(False)

    def forward(self, x):
        g = torch.sigmoid(self.gate(x))
        u = self.up(x)
        return self.down(g * u)


class Reservoir(nn.Module):
    def __init__(self, dim=12, hidden=20, depth=2):
        super().__init__()
        self.units = nn.ModuleList([FrozenGateUnit(dim, hidden) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        for unit in self.units:
            x = x + unit(self.norm(x))
        return x


Reservoir()(torch.randn(2, 6, 12))

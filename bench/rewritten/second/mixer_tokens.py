import torch
from torch import nn
import torch.nn.functional as F


class ChanMLP(nn.Module):
    def __init__(self, d, m=2):
        super().__init__()
        self.ln = nn.LayerNorm(d)
        self.up = nn.Linear(d, m * d)
        self.dn = nn.Linear(m * d, d)

    def forward(self, x):
        z = self.ln(x).permute(0, 2, 1)   # b d n
        u = self.up(z.mT)
        return x + self.dn(F.gelu(u))


class TokMLP(nn.Module):
    def __init__(self, n, d, m=2):
        super().__init__()
        self.ln = nn.LayerNorm(d)
        self.net = nn.Sequential(nn.Linear(n, m * n), nn.GELU(), nn.Linear(m * n, n))

    def forward(self, x):
        return x + self.net(self.ln(x).mT).mT


class Mixer(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        self.t, self.c = TokMLP(n, d), ChanMLP(d)

    def forward(self, x):
        return self.c(self.t(x)).mean(1)


Mixer(6, 12)(torch.randn(2, 6, 12))

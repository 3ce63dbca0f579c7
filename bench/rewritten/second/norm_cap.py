import torch
from torch import nn


class CapNorm(nn.Module):
    # rescale the whole activation if its rms gets too big
    def __init__(self, cap=0.5):
        super().__init__()
        self.cap = cap

    def forward(self, h):
        n = h.square().mean().add(1e-6).sqrt()
        if n > self.cap:
            out = h * (self.cap / n)
        else:
            out = h
        return out


class StableMLP(nn.Module):
    def __init__(self, d, L=2, cap=0.5):
        super().__init__()
        self.ls = nn.ModuleList(nn.Linear(d, d) for _ in range(L))
        self.cap = CapNorm(cap)
        self.fc = nn.Linear(d, 1)

    def forward(self, x):
        for l in self.ls:
            x = x + self.cap(l(x).tanh())
        return self.fc(x).squeeze(-1)


StableMLP(8)(torch.randn(4, 8))

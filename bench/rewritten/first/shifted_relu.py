import torch
from torch import nn


class SkipActivation(nn.Module):
    """Adds a damped rectified copy to the pre-activation."""

    def __init__(self, dim: int, damping: float = 0.5):
        super().__init__()
        self.fc = nn.Linear(dim, dim)
        self.damping = damping

    def forward(self, x):
        pre = self.fc(x)
        act = pre.clone()
        act.relu_()
        return pre + self.damping * act


class Regressor(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.layers = nn.Sequential(SkipActivation(dim), SkipActivation(dim))
        self.out = nn.Linear(dim, 1)

    def forward(self, x):
        return self.out(self.layers(x))


Regressor(12)(torch.randn(4, 12))

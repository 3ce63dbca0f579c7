"""A gated network that is compiled."""

import torch
from torch import nn


class GateNet(nn.Module):
    def __init__(self, dim=16, hidden=32):
        super().__init__()
        self.fc1 = nn.Linear(dim, hidden)
        self.act = nn.GELU()
        self.fc2 = nn.Linear(hidden, dim)

    def forward(self, x):
        scale = x.abs().mean()
        h = self.act(self.fc1(x))
        keep = h > 0
        h = h * h.sigmoid() if keep is not None else h
        return self.fc2(h) / (scale + 1e-6)


if __name__ == "__main__":
    print(torch.compile(GateNet())(torch.randn(4, 16)).shape)

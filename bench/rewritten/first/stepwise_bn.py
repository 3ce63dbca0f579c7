import torch
from torch import nn


class StepBlock(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.lin = nn.Linear(dim, dim)
        self.bn = nn.BatchNorm1d(dim)

    def forward(self, v):
        return torch.relu(self.bn(self.lin(v)))


class StepwiseNet(nn.Module):
    def __init__(self, dim: int, n_out: int):
        super().__init__()
        self.block = StepBlock(dim)
        self.head = nn.Linear(dim, n_out)

    def forward(self, x):
        steps = x.unbind(1)
        h = torch.stack([self.block(s) for s in steps], dim=1)
        # average over time
        return self.head(h.mean(dim=1))


StepwiseNet(8, 3)(torch.randn(4, 5, 8))

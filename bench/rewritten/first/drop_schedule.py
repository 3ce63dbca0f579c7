import torch
import torch.nn as nn


class ResidualMLP(nn.Module):
    def __init__(self, dim, drop=0.0):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fc1 = nn.Linear(dim, 2 * dim)
        self.fc2 = nn.Linear(2 * dim, dim)
        self.drop = nn.Dropout(drop)

    def forward(self, x):
        h = torch.relu(self.fc1(self.norm(x)))
        h = self.drop(h)
        return x + self.fc2(h)


class DeepMLP(nn.Module):
    def __init__(self, dim, depth=3, max_drop=0.2):
        super().__init__()
        rates = torch.linspace(0, max_drop, depth).tolist()
        self.blocks = nn.ModuleList(ResidualMLP(dim, drop=r) for r in rates)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


DeepMLP(16)(torch.randn(4, 16))

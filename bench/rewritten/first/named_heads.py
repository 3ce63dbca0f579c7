import torch
import torch.nn as nn


class SharedTrunk(nn.Module):
    def __init__(self, features, width):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(features, width),
            nn.ELU(),
            nn.Linear(width, width),
        )

    def forward(self, x):
        return torch.nn.functional.elu(self.net(x))


class MultiTask(nn.Module):
    """One trunk, one linear head for every task."""

    tasks = ("price", "demand")

    def __init__(self, features=9, width=16):
        super().__init__()
        self.trunk = SharedTrunk(features, width)
        self.head_price = nn.Linear(width, 1)
        self.head_demand = nn.Linear(width, 1)

    def forward(self, x):
        z = self.trunk(x)
        return {task: getattr(self, f"head_{task}")(z).squeeze(-1) for task in self.tasks}


MultiTask()(torch.randn(4, 9))

import torch
import torch.nn as nn


class AxisMLP(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.fc = nn.Linear(size, size)

    def forward(self, x):
        return x + torch.relu(self.fc(x))


class CubeMixer(nn.Module):
    """Mixes a size^3 voxel cube along its last and then its middle axis."""

    def __init__(self, size):
        super().__init__()
        self.depth = AxisMLP(size)
        self.height = AxisMLP(size)

    def forward(self, cube):
        x = self.depth(cube)
        # rotate the axes until the height is last
        x = x.permute(0, 2, 3, 1)
        x = x.permute(0, 2, 3, 1)
        x = self.height(x)
        return x


CubeMixer(6)(torch.randn(2, 6, 6, 6))

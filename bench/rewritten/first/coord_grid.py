import torch
import torch.nn as nn


class Grid:
    """Pixel coordinates in [-1, 1], shared by all the layers that want them."""

    def __init__(self, size):
        self.size = size
        axis = torch.linspace(-1, 1, size)
        self.coords = torch.stack(torch.meshgrid(axis, axis, indexing="ij"))

    def like(self, x):
        return self.coords.to(x).expand(x.size(0), -1, -1, -1)


class CoordConv(nn.Module):
    def __init__(self, cin, cout, size):
        super().__init__()
        self.grid = Grid(size)
        self.conv = nn.Conv2d(cin + 2, cout, 3, padding=1)

    def forward(self, x):
        x = torch.cat([x, self.grid.like(x)], dim=1)
        return self.conv(x).relu()


CoordConv(3, 6, 8)(torch.randn(2, 3, 8, 8))

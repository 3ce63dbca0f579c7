import torch
import torch.nn as nn


class PointEncoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.local = nn.Sequential(nn.Linear(3, dim), nn.ReLU(), nn.Linear(dim, dim))
        self.code = nn.Linear(dim, dim)

    def forward(self, cloud):
        return self.code(self.local(cloud).amax(dim=1))


class Fold(nn.Module):
    def __init__(self, dim, grid_dim):
        super().__init__()
        self.grid_lin = nn.Linear(grid_dim, dim)
        self.code_lin = nn.Linear(dim, dim, bias=False)
        self.out = nn.Linear(dim, 3)

    def forward(self, grid, code):
        n = grid.shape[1]
        style = self.code_lin(code).unsqueeze(1).repeat(1, n, 1)
        h = torch.relu(self.grid_lin(grid) + style)
        return self.out(h)


def make_grid(side):
    u = torch.linspace(-1, 1, side)
    return torch.cartesian_prod(u, u).unsqueeze(0)


class FoldingNet(nn.Module):
    """Autoencoder that folds a square twice into the shape."""

    def __init__(self, dim=16, side=4):
        super().__init__()
        self.encoder = PointEncoder(dim)
        self.register_buffer("grid", make_grid(side))
        self.fold1 = Fold(dim, 2)
        self.fold2 = Fold(dim, 3)

    def chamfer(self, a, b):
        d = torch.cdist(a, b)
        return d.amin(dim=2).mean() + d.amin(dim=1).mean()

    def forward(self, cloud):
        code = self.encoder(cloud)
        coarse = self.fold1(self.grid, code)
        fine = self.fold2(coarse, code)
        return fine, self.chamfer(fine, cloud)


FoldingNet()(torch.randn(2, 20, 3))

"""Views of scenes: encoded points along rays, an MLP with a skip, densities and colours that are summed up."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class FourierFeatures(nn.Module):
    def __init__(self, num_freqs, include_input=True):
        super().__init__()
        self.include_input = include_input
        self.register_buffer("freqs", 2.0 ** torch.arange(num_freqs))

    @property
    def multiplier(self):
        return 2 * len(self.freqs) + int(self.include_input)

    def forward(self, x):
        angles = x[..., None] * self.freqs
        encoded = torch.cat([angles.sin(), angles.cos()], dim=-1).flatten(-2)
        return torch.cat([x, encoded], dim=-1) if self.include_input else encoded


class RadianceField(nn.Module):
    def __init__(self, hidden=46, skip=2, depth=4):
        super().__init__()
        self.embed_xyz = FourierFeatures(6)
        self.embed_dir = FourierFeatures(2)
        xyz_dim = 3 * self.embed_xyz.multiplier
        dir_dim = 3 * self.embed_dir.multiplier
        self.skip = skip
        self.layers = nn.ModuleList(
            [nn.Linear(xyz_dim, hidden)]
            + [nn.Linear(hidden + xyz_dim if i == skip else hidden, hidden) for i in range(1, depth)]
        )
        self.sigma = nn.Linear(hidden, 1)
        self.feature = nn.Linear(hidden, hidden)
        self.view = nn.Linear(hidden + dir_dim, hidden // 2)
        self.rgb = nn.Linear(hidden // 2, 3)

    def forward(self, points, dirs):
        e = self.embed_xyz(points)
        h = e
        for i, layer in enumerate(self.layers):
            if i == self.skip:
                h = torch.cat([h, e], dim=-1)
            h = F.relu(layer(h))
        sigma = F.softplus(self.sigma(h)).squeeze(-1)
        d = self.embed_dir(dirs)
        d = d.unsqueeze(1).expand(-1, points.size(1), -1)
        color = torch.sigmoid(self.rgb(F.relu(self.view(torch.cat([self.feature(h), d], dim=-1)))))
        return color, sigma


class Renderer(nn.Module):
    def __init__(self, samples=18, near=2.0, far=6.0):
        super().__init__()
        self.field = RadianceField()
        self.samples, self.near, self.far = samples, near, far

    def forward(self, origins, dirs, target=None):
        dirs = F.normalize(dirs, dim=-1)
        t = torch.linspace(self.near, self.far, self.samples)
        points = origins[:, None, :] + dirs[:, None, :] * t[None, :, None]
        color, sigma = self.field(points, dirs)
        delta = torch.cat([t[1:] - t[:-1], torch.tensor([1e10])])
        alpha = 1 - torch.exp(-sigma * delta)
        trans = torch.cumprod(torch.cat([torch.ones(alpha.size(0), 1), 1 - alpha + 1e-10], dim=1), dim=1)[:, :-1]
        weights = alpha * trans
        rgb = (weights.unsqueeze(-1) * color).sum(dim=1)
        depth = (weights * t).sum(dim=-1)
        if target is not None:
            return F.mse_loss(rgb, target)
        return rgb, depth


if __name__ == "__main__":
    renderer = Renderer()
    origins, dirs = torch.randn(20, 3), torch.randn(20, 3)
    rgb, depth = renderer(origins, dirs)
    loss = renderer(origins, dirs, target=torch.rand(20, 3))

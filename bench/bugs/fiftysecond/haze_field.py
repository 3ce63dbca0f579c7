"""A field of density and colour, and the two passes along a ray."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from lens_rays import composite, importance


class Waves(nn.Module):
    def __init__(self, octaves):
        super().__init__()
        self.register_buffer("bands", 2.0 ** torch.arange(octaves))
        self.size = 3 + 3 * 2 * octaves

    def forward(self, x):
        phase = (x.unsqueeze(-1) * self.bands).flatten(-2)
        return torch.cat([x, phase.sin(), phase.cos()], dim=-1)


class Field(nn.Module):
    def __init__(self, width, depth, skip, octaves, view_octaves):
        super().__init__()
        self.skip = skip
        self.place, self.view = Waves(octaves), Waves(view_octaves)
        sizes = [self.place.size] + [width] * (depth - 1)
        sizes[skip] += self.place.size
        self.trunk = nn.ModuleList(nn.Linear(n, width) for n in sizes)
        self.density = nn.Linear(width, 1)
        self.tint = nn.Linear(width + self.view.size, 3)

    def forward(self, points, view):
        start = h = self.place(points)
        for i, layer in enumerate(self.trunk):
            if i == self.skip:
                h = torch.cat([h, start], dim=-1)
            h = F.relu(layer(h))
        sigma = F.softplus(self.density(h).squeeze(-1) - 1)
        colour = torch.sigmoid(self.tint(torch.cat([h, self.view(view)], dim=-1)))
        return sigma, colour


class Haze(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.near, self.far = cfg["near"], cfg["far"]
        self.samples, self.extra = cfg["samples"], cfg["extra"]
        self.coarse = Field(**cfg["field"])
        self.fine = Field(**cfg["field"])

    def along(self, field, origins, dirs, depth):
        points = origins[:, None] + dirs[:, None] * depth[..., None]
        view = dirs[:, None].expand_as(points)
        return composite(*field(points, view), depth)

    def forward(self, origins, dirs):
        edges = torch.linspace(self.near, self.far, self.samples + 1, device=dirs.device)
        jitter = torch.rand(len(dirs), self.samples, device=dirs.device)
        depth = torch.lerp(edges[:-1], edges[1:], jitter)
        rough, weight = self.along(self.coarse, origins, dirs, depth)
        more = importance(depth, weight.detach(), self.extra)
        depth = torch.cat([depth, more], dim=1)
        depth = depth.sort(dim=1).values
        clean, _ = self.along(self.fine, origins, dirs, depth)
        return rough, clean

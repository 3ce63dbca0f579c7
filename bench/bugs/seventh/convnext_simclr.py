"""Pictures without labels: a small ConvNeXt, a projection head, NT-Xent."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class LayerNorm2d(nn.LayerNorm):
    def forward(self, x):
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class SqueezeExcite(nn.Module):
    def __init__(self, dim, reduction=4):
        super().__init__()
        self.fc1 = nn.Linear(dim, dim // reduction)
        self.fc2 = nn.Linear(dim // reduction, dim)

    def forward(self, x):
        s = x.mean(dim=(2, 3))
        s = torch.sigmoid(self.fc2(F.relu(self.fc1(s))))
        return x * s[:, :, None, None]


class ConvNeXtBlock(nn.Module):
    def __init__(self, dim, expansion=3, layer_scale=1e-2):
        super().__init__()
        self.dwconv = nn.Conv2d(dim, dim, kernel_size=7, padding=3, groups=dim)
        self.norm = nn.LayerNorm(dim)
        self.pwconv1 = nn.Linear(dim, expansion * dim)
        self.pwconv2 = nn.Linear(expansion * dim, dim)
        self.se = SqueezeExcite(dim)
        self.gamma = nn.Parameter(layer_scale * torch.ones(dim))

    def forward(self, x):
        residual = x
        x = self.dwconv(x).permute(0, 2, 3, 1)
        x = self.pwconv2(F.gelu(self.pwconv1(self.norm(x))))
        x = (self.gamma * x).permute(0, 3, 1, 2)
        return residual + self.se(x)


class ConvNeXt(nn.Module):
    def __init__(self, in_chans=3, depths=(1, 1, 2), dims=(16, 32, 56)):
        super().__init__()
        self.downsample_layers = nn.ModuleList(
            [nn.Sequential(nn.Conv2d(in_chans, dims[0], 4, 4), LayerNorm2d(dims[0]))]
        )
        for i in range(2):
            self.downsample_layers.append(nn.Sequential(LayerNorm2d(dims[i]), nn.Conv2d(dims[i], dims[i + 1], 2, 2)))
        self.stages = nn.ModuleList(
            [nn.Sequential(*[ConvNeXtBlock(d) for _ in range(n)]) for d, n in zip(dims, depths)]
        )
        self.norm = nn.LayerNorm(dims[-1])

    def forward(self, x):
        for down, stage in zip(self.downsample_layers, self.stages):
            x = stage(down(x))
        return self.norm(x.mean([-2, -1]))


class SimCLR(nn.Module):
    def __init__(self, feature_dim=56, hidden=64, out=20, temperature=0.2):
        super().__init__()
        self.encoder = ConvNeXt()
        self.projector = nn.Sequential(
            nn.Linear(feature_dim, hidden), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Linear(hidden, out)
        )
        self.temperature = temperature

    def forward(self, view1, view2):
        n = view1.size(0)
        z = self.projector(self.encoder(torch.cat([view1, view2], dim=0)))
        z = F.normalize(z, dim=1)
        sim = z @ z.t() / self.temperature
        sim = sim.masked_fill(torch.eye(2 * n, dtype=torch.bool), -1e9)
        targets = torch.cat([torch.arange(n) + n, torch.arange(n)])
        return F.cross_entropy(sim, targets)


if __name__ == "__main__":
    simclr = SimCLR()
    loss = simclr(torch.rand(4, 3, 64, 64), torch.rand(4, 3, 64, 64))
    loss.backward()

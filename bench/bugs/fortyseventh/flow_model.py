"""Recurrent all-pairs optical flow, cut down to what a laptop can train."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def coords_grid(batch: int, height: int, width: int) -> Tensor:
    ys, xs = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    return torch.stack([xs, ys]).float().expand(batch, -1, -1, -1)


def sample_pixels(image: Tensor, coords: Tensor) -> Tensor:
    """`grid_sample` with pixel coordinates, coords: [n, h, w, 2]."""
    height, width = image.shape[-2:]
    x, y = coords.unbind(dim=-1)
    grid = torch.stack([2 * x / (width - 1) - 1, 2 * y / (height - 1) - 1], dim=-1)
    return F.grid_sample(image, grid, align_corners=True)


class ResidualBlock(nn.Module):
    def __init__(self, cin: int, cout: int, stride: int = 1):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride=stride, padding=1)
        self.conv2 = nn.Conv2d(cout, cout, 3, padding=1)
        self.norm1 = nn.InstanceNorm2d(cout)
        self.norm2 = nn.InstanceNorm2d(cout)
        self.down = nn.Identity()
        if stride > 1 or cin != cout:
            self.down = nn.Conv2d(cin, cout, 1, stride=stride)

    def forward(self, x: Tensor) -> Tensor:
        y = F.relu(self.norm1(self.conv1(x)))
        y = F.relu(self.norm2(self.conv2(y)))
        return F.relu(self.down(x) + y)


class Encoder(nn.Module):
    """Images at a quarter of their resolution."""

    def __init__(self, out_dim: int):
        super().__init__()
        self.stem = nn.Conv2d(3, 24, 7, stride=2, padding=3)
        self.layer1 = ResidualBlock(24, 24)
        self.layer2 = ResidualBlock(24, 48, stride=2)
        self.out = nn.Conv2d(48, out_dim, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = F.relu(self.stem(x))
        return self.out(self.layer2(self.layer1(x)))


class CorrBlock:
    def __init__(self, fmap1: Tensor, fmap2: Tensor, levels: int, radius: int):
        self.radius = radius
        b, c, h, w = fmap1.shape
        corr = fmap1.flatten(2).transpose(1, 2) @ fmap2.flatten(2)
        corr = corr.reshape(b * h * w, 1, h, w) / c**0.5
        self.pyramid = [corr]
        for _ in range(levels - 1):
            corr = F.avg_pool2d(corr, 2, stride=2)
            self.pyramid.append(corr)

    def __call__(self, coords: Tensor) -> Tensor:
        r = self.radius
        b, _, h, w = coords.shape
        centre = coords.permute(0, 2, 3, 1).reshape(b * h * w, 1, 1, 2)
        step = torch.arange(-r, r + 1, dtype=torch.float32, device=coords.device)
        delta = torch.stack(torch.meshgrid(step, step, indexing="ij"), dim=-1)
        found = []
        for level, corr in enumerate(self.pyramid):
            window = sample_pixels(corr, centre / 2**level + delta)
            found.append(window.view(b, h, w, -1))
        return torch.cat(found, dim=-1).permute(0, 3, 1, 2).contiguous()


class MotionEncoder(nn.Module):
    def __init__(self, levels: int, radius: int, out_dim: int):
        super().__init__()
        planes = levels * (2 * radius + 1) ** 2
        self.convc = nn.Conv2d(planes, 48, 1)
        self.convf = nn.Conv2d(2, 16, 7, padding=3)
        self.conv = nn.Conv2d(48 + 16, out_dim - 2, 3, padding=1)

    def forward(self, flow: Tensor, corr: Tensor) -> Tensor:
        c = F.relu(self.convc(corr))
        f = F.relu(self.convf(flow))
        out = F.relu(self.conv(torch.cat([c, f], dim=1)))
        return torch.cat([out, flow], dim=1)


class ConvGRU(nn.Module):
    def __init__(self, hidden: int, inputs: int):
        super().__init__()
        self.gates = nn.Conv2d(hidden + inputs, 2 * hidden, 3, padding=1)
        self.new = nn.Conv2d(hidden + inputs, hidden, 3, padding=1)

    def forward(self, h: Tensor, x: Tensor) -> Tensor:
        z, r = torch.sigmoid(self.gates(torch.cat([h, x], dim=1))).chunk(2, dim=1)
        q = torch.tanh(self.new(torch.cat([r * h, x], dim=1)))
        return (1 - z) * h + z * q


class FlowNet(nn.Module):
    scale = 4

    def __init__(self, features=64, hidden=48, context=32, motion=40, levels=3, radius=2, iterations=3):
        super().__init__()
        self.levels, self.radius, self.iterations = levels, radius, iterations
        self.hidden, self.context = hidden, context
        self.fnet = Encoder(features)
        self.cnet = Encoder(80)
        self.motion = MotionEncoder(levels, radius, motion)
        self.gru = ConvGRU(hidden, context + motion)
        self.flow_head = nn.Sequential(nn.Conv2d(hidden, 64, 3, padding=1), nn.ReLU(), nn.Conv2d(64, 2, 3, padding=1))
        self.mask_head = nn.Conv2d(hidden, 9 * 4 * 4, 1)

    def upsample(self, flow: Tensor, mask: Tensor) -> Tensor:
        """Each fine flow is a convex combination of the nine coarse ones around it."""
        b, _, h, w = flow.shape
        s = self.scale
        mask = mask.view(b, 1, 9, s, s, h, w).softmax(dim=2)
        near = F.unfold(s * flow, 3, padding=1).view(b, 2, 9, 1, 1, h, w)
        up = (mask * near).sum(dim=2)
        return up.permute(0, 1, 4, 2, 5, 3).reshape(b, 2, s * h, s * w)

    def forward(self, image1: Tensor, image2: Tensor) -> list[Tensor]:
        fmap1, fmap2 = self.fnet(torch.cat([image1, image2], dim=0)).chunk(2, dim=0)
        corr_fn = CorrBlock(fmap1, fmap2, self.levels, self.radius)
        net, inp = torch.split(self.cnet(image1), [self.hidden, self.context], dim=1)
        net, inp = torch.tanh(net), torch.relu(inp)

        b, _, h, w = fmap1.shape
        coords0 = coords_grid(b, h, w).to(image1.device)
        coords1 = coords0.clone()
        predictions = []
        for _ in range(self.iterations):
            coords1 = coords1.detach()
            corr = corr_fn(coords1)
            motion = self.motion(coords1 - coords0, corr)
            net = self.gru(net, torch.cat([inp, motion], dim=1))
            coords1 = coords1 + self.flow_head(net)
            predictions.append(self.upsample(coords1 - coords0, self.mask_head(net)))
        return predictions

"""Cameras, rays and what is seen along them."""
import math

import torch
import torch.nn.functional as F


def orbit(angle, radius=3.0):
    """The pose of a camera on a circle that looks at the origin."""
    c, s = math.cos(angle), math.sin(angle)
    right, up, back = [-s, c, 0.0], [0.0, 0.0, 1.0], [c, s, 0.0]
    pose = torch.eye(4)
    pose[:3] = torch.tensor([right, up, back, [radius * c, radius * s, 0.0]]).T
    return pose


def camera_rays(pose, height, width, focal):
    ys, xs = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    x, y = (xs - width / 2) / focal, (height / 2 - ys) / focal
    local = torch.stack([x, y, -torch.ones_like(x)], dim=-1)
    world = torch.einsum("hwc,rc->hwr", local, pose[:3, :3])
    origins = pose[:3, 3].expand(height, width, 3)
    return origins.reshape(-1, 3), F.normalize(world, dim=-1).reshape(-1, 3)


def composite(sigma, colour, depth):
    gap = F.pad(depth.diff(dim=1), (0, 1), value=1e3)
    alpha = 1 - torch.exp(-sigma * gap)
    clear = F.pad(torch.cumprod(1 - alpha, dim=1)[:, :-1], (1, 0), value=1.0)
    weight = alpha * clear
    return (weight.unsqueeze(-1) * colour).sum(dim=1), weight


def importance(depth, weight, count):
    middle = 0.5 * (depth[:, 1:] + depth[:, :-1])
    pdf = F.normalize(weight[:, 1:-1] + 1e-4, p=1, dim=1)
    cdf = F.pad(torch.cumsum(pdf, dim=1), (1, 0))
    u = torch.rand(len(depth), count, device=depth.device)
    above = torch.searchsorted(cdf, u, right=True).clamp(1, cdf.shape[1] - 1)
    below = above - 1
    start, end = cdf.gather(1, below), cdf.gather(1, above)
    part = ((u - start) / (end - start).clamp_min(1e-6)).clamp(0, 1)
    return torch.lerp(middle.gather(1, below), middle.gather(1, above), part)

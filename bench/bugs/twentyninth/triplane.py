"""Tri-plane radiance field with an importance-sampled ray marcher."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Triplane(nn.Module):
    def __init__(self, res=32, channels=8, scenes=3):
        super().__init__()
        self.planes = nn.Parameter(torch.randn(scenes, 3, channels, res, res) * 0.1)
        self.channels = channels

    def forward(self, scene, xyz):
        # xyz: (B, N, 3) in [-1, 1]
        b, n, _ = xyz.shape
        planes = self.planes[scene].flatten(0, 1)
        coords = torch.stack([xyz[..., [0, 1]], xyz[..., [0, 2]], xyz[..., [1, 2]]], dim=1)
        coords = coords.reshape(b * 3, n, 1, 2)
        feats = F.grid_sample(planes, coords, align_corners=True)
        return feats.view(b, 3, self.channels, n).sum(1).transpose(1, 2)


class Decoder(nn.Module):
    def __init__(self, channels=8, hidden=64, view_freqs=2):
        super().__init__()
        self.view_freqs = view_freqs
        self.trunk = nn.Sequential(nn.Linear(channels, hidden), nn.Softplus(), nn.Linear(hidden, hidden + 1))
        self.rgb = nn.Sequential(
            nn.Linear(hidden + 3 + 6 * view_freqs, hidden // 2), nn.ReLU(), nn.Linear(hidden // 2, 3), nn.Sigmoid()
        )

    def encode_dirs(self, d):
        scales = 2.0 ** torch.arange(self.view_freqs, device=d.device)
        angles = (d[..., None] * scales).flatten(-2)
        return torch.cat([d, angles.sin(), angles.cos()], dim=-1)

    def forward(self, feats, dirs):
        h = self.trunk(feats)
        sigma, h = F.softplus(h[..., 0]), h[..., 1:]
        return sigma, self.rgb(torch.cat([h, self.encode_dirs(dirs)], dim=-1))


def stratified(near, far, b, r, n):
    t = torch.linspace(0, 1, n + 1)[:-1]
    t = t + torch.rand(b, r, n) / n
    return near + (far - near) * t


def sample_pdf(bins, weights, n):
    pdf = (weights + 1e-5) / (weights + 1e-5).sum(-1, keepdim=True)
    cdf = torch.cumsum(pdf, dim=-1)
    cdf = torch.cat([torch.zeros_like(cdf[..., :1]), cdf], dim=-1)
    u = torch.rand(*cdf.shape[:-1], n)
    inds = torch.searchsorted(cdf, u, right=True)
    below = (inds - 1).clamp(min=0)
    above = inds.clamp(max=cdf.size(-1) - 1)
    cdf_b, cdf_a = cdf.gather(-1, below), cdf.gather(-1, above)
    bin_b, bin_a = bins.gather(-1, below), bins.gather(-1, above)
    frac = (u - cdf_b) / (cdf_a - cdf_b).clamp(min=1e-5)
    return bin_b + frac * (bin_a - bin_b)


def composite(sigma, rgb, depths):
    deltas = depths[..., 1:] - depths[..., :-1]
    deltas = torch.cat([deltas, torch.full_like(deltas[..., :1], 1e3)], dim=-1)
    alpha = 1 - torch.exp(-sigma * deltas)
    trans = torch.cumprod(torch.cat([torch.ones_like(alpha[..., :1]), 1 - alpha + 1e-10], -1), -1)[..., :-1]
    weights = alpha * trans
    return (weights.unsqueeze(-1) * rgb).sum(-2), weights


class Renderer(nn.Module):
    def __init__(self, scenes=3, coarse=16, fine=8, near=0.5, far=2.5):
        super().__init__()
        self.field, self.decoder = Triplane(scenes=scenes), Decoder()
        self.coarse, self.fine, self.near, self.far = coarse, fine, near, far

    def query(self, scene, origins, dirs, depths):
        b, r, s = depths.shape
        points = origins.unsqueeze(2) + depths.unsqueeze(-1) * dirs.unsqueeze(2)
        views = dirs.unsqueeze(2).expand(-1, -1, s, -1)
        feats = self.field(scene, points.reshape(b, r * s, 3))
        sigma, rgb = self.decoder(feats, views.reshape(b, r * s, 3))
        return sigma.view(b, r, s), rgb.view(b, r, s, 3)

    def forward(self, scene, origins, dirs):
        b, r, _ = origins.shape
        depths = stratified(self.near, self.far, b, r, self.coarse)
        sigma, rgb = self.query(scene, origins, dirs, depths)
        coarse, weights = composite(sigma, rgb, depths)
        mids = 0.5 * (depths[..., 1:] + depths[..., :-1])
        extra = sample_pdf(mids, weights[..., 1:-1].detach(), self.fine)
        depths, _ = torch.cat([depths, extra], dim=-1).sort(dim=-1)
        sigma, rgb = self.query(scene, origins, dirs, depths)
        fine, _ = composite(sigma, rgb, depths)
        return coarse, fine


def rays(pose, h, w, focal):
    """Origins and directions of all pixels of a camera (B, 4, 4)."""
    y, x = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
    dirs = torch.stack([(x - w / 2) / focal, (y - h / 2) / focal, torch.ones(h, w)], dim=-1)
    dirs = dirs.reshape(-1, 3) @ pose[:, :3, :3].transpose(1, 2)
    origins = pose[:, None, :3, 3].expand_as(dirs)
    return origins, F.normalize(dirs, dim=-1)


def main():
    b, h, w = 2, 12, 10
    model = Renderer()
    images = torch.rand(b, 3, h, w)
    pose = torch.eye(4).repeat(b, 1, 1)
    origins, dirs = rays(pose, h, w, focal=15.0)
    coarse, fine = model(torch.tensor([0, 2]), origins, dirs)
    target = images.flatten(2).transpose(1, 2)
    loss = F.mse_loss(coarse, target) + F.mse_loss(fine, target)
    loss.backward()
    print(fine.transpose(1, 2).view(b, 3, h, w).shape)


if __name__ == "__main__":
    main()

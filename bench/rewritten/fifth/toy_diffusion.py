"""Denoise two-dimensional points, the smallest diffusion there is (lecture 11)."""
import math

import torch
from torch import nn


def timestep_features(t, dim, max_period=10_000.0):
    half = dim // 2
    ladder = torch.arange(half) / half
    freqs = torch.exp(-math.log(max_period) * ladder)
    angles = t[:, None].float() * freqs[None, :]
    return torch.cat([angles.cos(), angles.sin()], dim=-1)


class Denoiser(nn.Module):
    def __init__(self, time_dim=16, hidden=64):
        super().__init__()
        self.time_dim = time_dim
        self.net = nn.Sequential(
            nn.Linear(2 + time_dim, hidden),
            nn.SiLU(),
            nn.Linear(hidden, hidden),
            nn.SiLU(),
            nn.Linear(hidden, 2),
        )

    def forward(self, points, t):
        emb = timestep_features(t, self.time_dim)
        return self.net(torch.cat([points, emb], dim=-1))


def noise_loss(model, points, alpha_bar):
    t = torch.randint(0, alpha_bar.shape[0], (points.shape[0],), device=points.device)
    eps = torch.randn_like(points)
    a = alpha_bar[t, None]
    noisy = a.sqrt() * points + (1 - a).sqrt() * eps
    return (model(noisy, t) - eps).square().mean()


if __name__ == "__main__":
    torch.manual_seed(10)
    alpha_bar = torch.cumprod(1 - torch.linspace(1e-4, 0.02, 200), dim=0)
    model = Denoiser()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(5):
        loss = noise_loss(model, torch.randn(64, 2), alpha_bar)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(loss)

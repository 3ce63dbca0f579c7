"""Fills holes in small photographs with a diffusion model: what is known is put back in every step."""

import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self, channels: int = 3, width: int = 16, steps: int = 10):
        super().__init__()
        self.time = nn.Embedding(steps, width)
        self.enter = nn.Conv2d(channels, width, 3, padding=1)
        self.leave = nn.Sequential(nn.SiLU(), nn.Conv2d(width, channels, 3, padding=1))

    def forward(self, x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        h = self.enter(x) + self.time(t)[:, :, None, None]
        return self.leave(h)


@torch.no_grad()
def inpaint(model: Denoiser, photo: torch.Tensor, known: torch.Tensor, alphas: torch.Tensor) -> torch.Tensor:
    bar = alphas.cumprod(dim=0)
    x = torch.randn_like(photo)
    keep = (known > 0.5).to(photo.dtype).unsqueeze(1)
    for i in range(len(alphas) - 1, -1, -1):
        t = torch.full((photo.shape[0],), i, dtype=torch.long, device=photo.device)
        eps = model(x, t)
        noise_level = (1 - bar[i]).sqrt()
        x = (x - (1 - alphas[i]) / noise_level * eps) / alphas[i].sqrt()
        noised = bar[i].sqrt() * photo + noise_level * torch.randn_like(photo)
        inside = (1 - keep) * x
        x = keep * noised + inside
    return x


if __name__ == "__main__":
    torch.manual_seed(9)
    photos = torch.rand(2, 3, 16, 16)
    known = torch.ones(2, 16, 16)
    known[:, 4:10, 5:12] = 0.0
    schedule = torch.linspace(0.999, 0.95, 10)
    filled = inpaint(Denoiser(), photos, known, schedule)
    print(filled.shape, filled.std())

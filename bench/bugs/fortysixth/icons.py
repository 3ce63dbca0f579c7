"""Trains the icon generator and samples a few icons, with classifier-free guidance."""
import logging
from dataclasses import dataclass

import torch
from torch import Tensor
import torch.nn.functional as F

from unet_cond import CondUNet

log = logging.getLogger("icons")


@dataclass
class Settings:
    resolution: int = 16
    steps: int = 20
    batch: int = 4
    updates: int = 2
    lr: float = 3e-4
    drop_caption: float = 0.1
    guidance: float = 2.0
    ema: float = 0.99
    sample_steps: int = 3


class Schedule:
    def __init__(self, steps: int) -> None:
        betas = torch.linspace(1e-4, 0.05, steps)
        self.steps = steps
        self.alpha_bar = torch.cumprod(1.0 - betas, dim=0)

    def coefficients(self, t: Tensor) -> tuple[Tensor, Tensor]:
        a = self.alpha_bar[t].view(-1, 1, 1, 1)
        return a.sqrt(), (1 - a).sqrt()

    def add_noise(self, x: Tensor, noise: Tensor, t: Tensor) -> Tensor:
        signal, sigma = self.coefficients(t)
        return signal * x + sigma * noise

    def weight(self, t: Tensor, gamma: float = 5.0) -> Tensor:
        kept = self.alpha_bar.gather(0, t)
        snr = kept / (1 - kept)
        return snr.clamp(max=gamma) / snr


def make_batch(settings: Settings) -> tuple[Tensor, Tensor]:
    """Icons of a disc in one colour; captions are token ids, padded with 0."""
    n, size = settings.batch, settings.resolution
    grid = torch.linspace(-1, 1, size)
    yy, xx = torch.meshgrid(grid, grid, indexing="ij")
    radius = 0.3 + 0.5 * torch.rand(n)
    disc = (xx ** 2 + yy ** 2)[None] < radius[:, None, None] ** 2
    colour = torch.rand(n, 3)
    icons = disc[:, None].float() * colour[:, :, None, None] * 2 - 1
    ids = torch.randint(2, 30, (n, 6))
    lengths = torch.randint(2, 7, (n,))
    ids[torch.arange(6)[None, :] >= lengths[:, None]] = 0
    return icons, ids


def drop_captions(ids: Tensor, p: float) -> Tensor:
    blank = torch.zeros_like(ids)
    blank[:, 0] = 1
    return torch.where(torch.rand(ids.shape[0], 1) < p, blank, ids)


def train_step(model: CondUNet, schedule: Schedule, settings: Settings) -> Tensor:
    icons, ids = make_batch(settings)
    t = torch.randint(0, schedule.steps, (icons.shape[0],))
    noise = torch.randn_like(icons)
    noisy = schedule.add_noise(icons, noise, t)
    predicted = model(noisy, t, drop_captions(ids, settings.drop_caption))
    per_icon = F.mse_loss(predicted, noise, reduction="none").flatten(1).mean(dim=1)
    return (schedule.weight(t) * per_icon).mean()


@torch.no_grad()
def sample(model: CondUNet, schedule: Schedule, ids: Tensor, settings: Settings) -> Tensor:
    n = ids.shape[0]
    blank = drop_captions(ids, 1.1)
    x = torch.randn(n, 3, settings.resolution, settings.resolution)
    times = torch.linspace(schedule.steps - 1, 0, settings.sample_steps).long()
    for i, step in enumerate(times):
        t = step.expand(n)
        both = model(torch.cat([x, x]), torch.cat([t, t]), torch.cat([ids, blank]))
        cond, free = both.chunk(2)
        eps = free + settings.guidance * (cond - free)
        signal, sigma = schedule.coefficients(t)
        clean = ((x - sigma * eps) / signal).clamp(-1, 1)
        if i + 1 == len(times):
            return clean
        x = schedule.add_noise(clean, eps, times[i + 1].expand(n))
    return x


def main() -> None:
    logging.basicConfig(level=logging.INFO)
    torch.manual_seed(7)
    settings = Settings()
    model, average = CondUNet(), CondUNet()
    average.load_state_dict(model.state_dict())
    schedule = Schedule(settings.steps)
    optimizer = torch.optim.AdamW(model.parameters(), lr=settings.lr)
    for update in range(settings.updates):
        loss = train_step(model, schedule, settings)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for kept, new in zip(average.parameters(), model.parameters()):
            kept.data.lerp_(new.data, 1 - settings.ema)
        log.info("update %d loss %.4f", update, loss.item())
    _, ids = make_batch(settings)
    icons = sample(average.eval(), schedule, ids[:2], settings)
    tiles = icons.permute(1, 2, 0, 3).flatten(2)
    log.info("a strip of %s, mean %.3f", tuple(tiles.shape), tiles.mean().item())


if __name__ == "__main__":
    main()

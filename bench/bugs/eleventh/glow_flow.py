"""Pictures to noise and back: a flow of invertible steps, told which class is wanted."""

import math

import torch
import torch.nn.functional as F
from flow_config import FlowConfig
from torch import Tensor, nn


def squeeze(x: Tensor) -> Tensor:
    b, c, h, w = x.shape
    x = x.view(b, c, h // 2, 2, w // 2, 2)
    x = x.permute(0, 1, 3, 5, 2, 4)
    return x.reshape(b, 4 * c, h // 2, w // 2)


class ActNorm(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.loc = nn.Parameter(torch.zeros(1, channels, 1, 1))
        self.log_scale = nn.Parameter(torch.zeros(1, channels, 1, 1))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        height, width = x.shape[-2:]
        logdet = height * width * self.log_scale.sum()
        return (x + self.loc) * torch.exp(self.log_scale), logdet


class MixChannels(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        q, _ = torch.linalg.qr(torch.randn(channels, channels))
        self.weight = nn.Parameter(q)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        mixed = F.conv2d(x, self.weight[:, :, None, None])
        return mixed, x.size(2) * x.size(3) * torch.slogdet(self.weight)[1]


class Coupling(nn.Module):
    def __init__(self, channels: int, hidden: int, classes: int):
        super().__init__()
        self.label = nn.Embedding(classes, hidden)
        self.first = nn.Conv2d(channels // 2, hidden, 3, padding=1)
        self.middle = nn.Conv2d(hidden, hidden, 1)
        self.last = nn.Conv2d(hidden, channels, 3, padding=1)

    def forward(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        a, b = x.chunk(2, dim=1)
        h = F.relu(self.first(a))
        h = h + self.label(y)[:, :, None, None]
        h = F.relu(self.middle(h))
        log_s, t = self.last(h).chunk(2, dim=1)
        s = torch.sigmoid(log_s + 2.0)
        b = (b + t) * s
        return torch.cat([a, b], dim=1), torch.log(s).flatten(1).sum(dim=1)


class FlowStep(nn.Module):
    def __init__(self, channels: int, cfg: FlowConfig):
        super().__init__()
        self.norm = ActNorm(channels)
        self.mix = MixChannels(channels)
        self.couple = Coupling(channels, cfg.hidden, cfg.classes)

    def forward(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        x, one = self.norm(x)
        x, two = self.mix(x)
        x, three = self.couple(x, y)
        return x, three + one + two


class Flow(nn.Module):
    def __init__(self, cfg: FlowConfig):
        super().__init__()
        self.cfg = cfg
        self.levels = nn.ModuleList()
        self.priors = nn.ModuleList()
        channels = cfg.channels
        for level in range(cfg.levels):
            channels *= 4
            self.levels.append(nn.ModuleList(FlowStep(channels, cfg) for _ in range(cfg.steps)))
            if level < cfg.levels - 1:
                channels //= 2
                self.priors.append(nn.Conv2d(channels, 2 * channels, 3, padding=1))
        side = cfg.size // 2**cfg.levels
        self.top = nn.Linear(cfg.classes, 2 * channels)
        self.shape = (channels, side, side)

    def forward(self, x: Tensor, y: Tensor) -> tuple[Tensor, list[Tensor]]:
        total = x.new_zeros(x.size(0))
        latents = []
        for number, steps in enumerate(self.levels):
            x = squeeze(x)
            for step in steps:
                x, logdet = step(x, y)
                total = total + logdet
            if number < len(self.priors):
                x, z = x.chunk(2, dim=1)
                mean, log_sd = self.priors[number](x).chunk(2, dim=1)
                total = total + gaussian(z, mean, log_sd)
                latents.append(z)
        mean, log_sd = self.top(F.one_hot(y, self.cfg.classes).float()).chunk(2, dim=-1)
        mean, log_sd = mean[:, :, None, None], log_sd[:, :, None, None]
        total = total + gaussian(x, mean, log_sd)
        return total, [*latents, x.view(x.size(0), *self.shape)]


def gaussian(z: Tensor, mean: Tensor, log_sd: Tensor) -> Tensor:
    each = -0.5 * (math.log(2 * math.pi) + 2 * log_sd + (z - mean) ** 2 / torch.exp(2 * log_sd))
    return each.sum(dim=(1, 2, 3))


def main() -> None:
    cfg = FlowConfig()
    flow = Flow(cfg)
    likelihood, latents = flow(torch.randn(2, 3, 16, 16), torch.tensor([1, 4]))
    print(likelihood.shape, [z.shape for z in latents])


if __name__ == "__main__":
    main()

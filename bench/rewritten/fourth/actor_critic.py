from __future__ import annotations

import torch
from torch import nn


class ObsEncoder(nn.Module):
    """Proprioception and depth image of a walking robot."""

    def __init__(self, proprio: int, width: int) -> None:
        super().__init__()
        self.depth = nn.Sequential(
            nn.Conv2d(1, 4, 3, stride=2), nn.ELU(),
            nn.Conv2d(4, 8, 3, stride=2), nn.ELU(),
            nn.Flatten(),
        )
        self.fuse = nn.Linear(proprio + 8 * 3 * 3, width)

    def forward(self, obs: dict[str, torch.Tensor]) -> torch.Tensor:
        d = self.depth(obs["depth"])
        return torch.tanh(self.fuse(torch.cat([obs["proprio"], d], dim=1)))


class Head(nn.Module):
    def __init__(self, width: int, out: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(width, width), nn.ELU(), nn.Linear(width, out))

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        return self.layers(h)


class ActorCritic(nn.Module):
    def __init__(self, proprio: int = 10, width: int = 24, actions: int = 4) -> None:
        super().__init__()
        self.encoder = ObsEncoder(proprio, width)
        self.actor = Head(width, actions)
        self.critic = Head(width, 1)
        self.log_std = nn.Parameter(torch.full((actions,), -0.5))

    def forward(self, obs: dict[str, torch.Tensor]):
        mean = self.actor(self.encoder(obs))
        std = self.log_std.exp()
        value = self.critic(self.encoder(obs))
        return mean, std, value.squeeze(-1)


ActorCritic()({"proprio": torch.randn(2, 10), "depth": torch.rand(2, 1, 16, 16)})

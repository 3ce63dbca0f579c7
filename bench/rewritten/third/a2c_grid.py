from __future__ import annotations

import torch
from torch import nn


class PixelEncoder(nn.Module):
    def __init__(self, in_channels: int, width: int = 16) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, width, kernel_size=3, stride=2)
        self.conv2 = nn.Conv2d(width, 2 * width, kernel_size=3, stride=2)
        self.pool = nn.AdaptiveAvgPool2d(2)
        self.out_features = 2 * width * 4

    def forward(self, obs: torch.Tensor) -> torch.Tensor:
        h = torch.relu(self.conv1(obs))
        h = torch.relu(self.conv2(h))
        return self.pool(h).flatten(1)


class PolicyHead(nn.Module):
    """Maps a state embedding to action probabilities, one row per environment."""

    def __init__(self, d: int, n_actions: int) -> None:
        super().__init__()
        self.fc = nn.Linear(d, d)
        self.logits = nn.Linear(d, n_actions)

    def forward(self, state: torch.Tensor) -> torch.Tensor:
        z = torch.tanh(self.fc(state))
        action_probs = torch.softmax(self.logits(z), dim=0)
        return action_probs


class ValueHead(nn.Module):
    def __init__(self, d: int) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, d), nn.Tanh(), nn.Linear(d, 1))

    def forward(self, state: torch.Tensor) -> torch.Tensor:
        return self.net(state).squeeze(-1)


class ActorCritic(nn.Module):
    def __init__(self, in_channels: int, n_actions: int) -> None:
        super().__init__()
        self.encoder = PixelEncoder(in_channels)
        self.actor = PolicyHead(self.encoder.out_features, n_actions)
        self.critic = ValueHead(self.encoder.out_features)

    def forward(self, obs: torch.Tensor):
        state = self.encoder(obs)
        return self.actor(state), self.critic(state)


ActorCritic(3, 6)(torch.rand(4, 3, 20, 20))

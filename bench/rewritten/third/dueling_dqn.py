from typing import Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class RecurrentTrunk(nn.Module):
    def __init__(self, obs_dim: int, hidden: int):
        super().__init__()
        self.embed = nn.Linear(obs_dim, hidden)
        self.norm = nn.LayerNorm(hidden)
        self.lstm = nn.LSTM(hidden, hidden, batch_first=True)

    def forward(self, obs: torch.Tensor) -> torch.Tensor:
        h = F.relu(self.norm(self.embed(obs)))
        h, _ = self.lstm(h)
        return h


class DuelingHead(nn.Module):
    def __init__(self, hidden: int, n_actions: int):
        super().__init__()
        self.value = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))
        self.advantage = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, n_actions))
        self.pre_norm = nn.LayerNorm(hidden)

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        v = self.value(h)
        a = self.advantage(h)
        return v + a - a.mean(dim=-1, keepdim=True)


class DRQN(nn.Module):
    """Dueling recurrent Q-network with a target for the last step."""

    def __init__(self, obs_dim: int, n_actions: int, hidden: int = 32, gamma: float = 0.99):
        super().__init__()
        self.gamma = gamma
        self.trunk = RecurrentTrunk(obs_dim, hidden)
        self.head = DuelingHead(hidden, n_actions)

    def q_values(self, obs: torch.Tensor) -> torch.Tensor:
        return self.head(self.trunk(obs))

    def forward(self, obs: torch.Tensor, reward: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        q = self.q_values(obs)
        target = reward[:, :-1] + self.gamma * q[:, 1:].detach().amax(dim=-1)
        return q, target


DRQN(8, 4)(torch.randn(3, 6, 8), torch.randn(3, 6))

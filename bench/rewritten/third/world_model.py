import torch
import torch.nn as nn
import torch.nn.functional as F


class ObsEncoder(nn.Module):
    def __init__(self, obs_dim: int, latent: int):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs_dim, latent), nn.ELU(), nn.Linear(latent, latent))

    def forward(self, obs: torch.Tensor) -> torch.Tensor:
        return self.net(obs)


class Dynamics(nn.Module):
    """Residual latent step whose size is kept in bounds."""

    def __init__(self, latent: int, act_dim: int, max_step: float = 1.0):
        super().__init__()
        self.fc1 = nn.Linear(latent + act_dim, 2 * latent)
        self.fc2 = nn.Linear(2 * latent, latent)
        self.max_step = max_step

    def limit(self, delta: torch.Tensor) -> torch.Tensor:
        size = delta.norm()
        delta = delta * (self.max_step / size) if size > self.max_step else delta
        return delta

    def forward(self, z: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
        h = F.elu(self.fc1(torch.cat((z, a), dim=-1)))
        return z + self.limit(self.fc2(h))


class RewardHead(nn.Module):
    def __init__(self, latent: int):
        super().__init__()
        self.out = nn.Linear(latent, 1)

    def forward(self, z: torch.Tensor) -> torch.Tensor:
        return self.out(z).squeeze(-1)


class WorldModel(nn.Module):
    def __init__(self, obs_dim: int = 6, act_dim: int = 2, latent: int = 16):
        super().__init__()
        self.encoder = ObsEncoder(obs_dim, latent)
        self.dynamics = Dynamics(latent, act_dim)
        self.reward = RewardHead(latent)

    def forward(self, obs: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
        z = self.encoder(obs)
        rewards = []
        for a in actions.unbind(dim=1):
            z = self.dynamics(z, a)
            rewards.append(self.reward(z))
        return torch.stack(rewards, dim=1)


WorldModel()(torch.randn(4, 6), torch.randn(4, 5, 2))

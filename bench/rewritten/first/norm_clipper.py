import torch
from torch import nn


class NormClipper(nn.Module):
    """Scales the whole activation down when its norm is too big."""

    def __init__(self, max_norm: float = 1.0):
        super().__init__()
        self.max_norm = max_norm

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        norm = torch.linalg.vector_norm(h)
        if norm > self.max_norm:
            h = h * (self.max_norm / (norm + 1e-6))
        return h


class Controller(nn.Module):
    def __init__(self, n_obs: int, n_act: int):
        super().__init__()
        self.fc = nn.Linear(n_obs, 16)
        self.clip = NormClipper(2.0)
        self.mu = nn.Linear(16, n_act)

    def forward(self, obs):
        h = self.clip(torch.tanh(self.fc(obs)))
        return self.mu(h)


Controller(5, 2)(torch.randn(4, 5))

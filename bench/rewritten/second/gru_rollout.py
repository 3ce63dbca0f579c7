from __future__ import annotations

import torch
import torch.nn as nn
from torch import Tensor


class LatentRollout(nn.Module):
    """Imagines future latents, step by step, from a start state."""

    def __init__(self, latent: int, action: int, horizon: int = 5) -> None:
        super().__init__()
        self.horizon = horizon
        self.cell = nn.GRUCell(action, latent)
        self.policy = nn.Linear(latent, action)
        self.decoder = nn.Linear(latent, latent)

    def _step(self, state: Tensor) -> Tensor:
        action = torch.tanh(self.policy(state))
        return self.cell(action, state)

    def forward(self, state: Tensor) -> Tensor:
        out = self.decoder(state).unsqueeze(1)
        for _ in range(self.horizon):
            state = self._step(state)
            out = torch.cat((out, self.decoder(state).unsqueeze(1)), dim=1)
        return out


LatentRollout(12, 4)(torch.randn(3, 12))

from typing import Tuple

import torch
import torch.nn as nn
from torch import Tensor


def fuse(prior: Tensor, meas: Tensor, gain: Tensor) -> Tensor:
    """Innovation step: move the prior towards the measurement."""
    innovation = meas - prior
    corrected = (prior + gain * innovation).clone()
    return corrected


class GainNet(nn.Module):
    def __init__(self, state: int, hidden: int = 16):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2 * state, hidden), nn.ELU(), nn.Linear(hidden, state))

    def forward(self, prior: Tensor, meas: Tensor) -> Tensor:
        return torch.sigmoid(self.body(torch.cat([prior, meas], dim=-1)))


class Dynamics(nn.Module):
    def __init__(self, state: int, action: int):
        super().__init__()
        self.lin = nn.Linear(state + action, state)

    def forward(self, s: Tensor, a: Tensor) -> Tensor:
        return s + 0.1 * torch.tanh(self.lin(torch.cat([s, a], dim=-1)))


class GraspFilter(nn.Module):
    """Learned filter for the pose of the object in the hand."""

    def __init__(self, state: int = 6, action: int = 3):
        super().__init__()
        self.dyn = Dynamics(state, action)
        self.gain = GainNet(state)

    def forward(self, s0: Tensor, actions: Tensor, meas: Tensor) -> Tuple[Tensor, Tensor]:
        s = s0
        poses = []
        for a, m in zip(actions.unbind(1), meas.unbind(1)):
            prior = self.dyn(s, a)
            s = fuse(prior, m, self.gain(prior, m))
            poses.append(s)
        return torch.stack(poses, dim=1), s


GraspFilter()(torch.randn(2, 6), torch.randn(2, 5, 3), torch.randn(2, 5, 6))

"""Phases of the gait from inertial sensors. Each moment is normalized over the walkers that are there."""

import torch
from torch import nn


class GaitPhases(nn.Module):
    def __init__(self, sensors: int = 6, phases: int = 4, width: int = 24):
        super().__init__()
        self.frame = nn.Sequential(
            nn.Linear(sensors, width, bias=False),
            nn.BatchNorm1d(width),
            nn.ReLU(),
            nn.Linear(width, phases),
        )

    def forward(self, motion: torch.Tensor) -> torch.Tensor:
        moments = []
        for t in range(motion.shape[1]):
            moments.append(self.frame(motion[:, t]))
        return torch.stack(moments, dim=1)


def walkers(n: int, length: int = 32) -> tuple[torch.Tensor, torch.Tensor]:
    start = torch.rand(n, 1)
    phase = (start + torch.linspace(0, 2, length)) % 1.0
    angles = 2 * torch.pi * phase.unsqueeze(-1) + torch.linspace(0, 1, 6)
    drift = torch.linspace(0, 3, length)[:, None]
    return angles.sin() + drift + 0.1 * torch.randn(n, length, 6), (phase * 4).long()


def main() -> None:
    torch.manual_seed(53)
    motion, phase = walkers(16)
    model = GaitPhases()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    model.train()
    for step in range(6):
        scores = model(motion)
        loss = nn.functional.cross_entropy(scores.flatten(0, 1), phase.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: {loss.item():.4f}")


if __name__ == "__main__":
    main()

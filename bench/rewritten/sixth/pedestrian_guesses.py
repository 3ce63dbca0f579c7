"""Guesses several ways a pedestrian may take, and scores the best of them."""

import torch
from torch import nn


class PathGuesser(nn.Module):
    def __init__(self, seen: int = 8, ahead: int = 12, guesses: int = 5):
        super().__init__()
        self.ahead, self.guesses = ahead, guesses
        self.encode = nn.Sequential(nn.Linear(seen * 2, 32), nn.Tanh())
        self.velocity = nn.Linear(32, 2)
        self.sway = nn.Parameter(torch.tensor(0.1))

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        """(people, seen, 2) -> (guesses, people, ahead, 2)"""
        v = self.velocity(self.encode((seen - seen[:, -1:]).flatten(1)))
        t = torch.arange(1, self.ahead + 1, device=seen.device, dtype=seen.dtype)
        straight = seen[:, -1:] + v[:, None] * t[:, None]
        paths = straight.unsqueeze(0).repeat(self.guesses, 1, 1, 1)
        turns = self.sway * torch.randn(self.guesses - 1, len(seen), self.ahead, 2, device=seen.device)
        paths[1:] += turns.cumsum(dim=2)  # the first one stays straight
        return paths


def best_of(paths: torch.Tensor, future: torch.Tensor) -> torch.Tensor:
    off = (paths - future).norm(dim=-1).mean(dim=-1)
    return off.amin(dim=0).mean()


def crowd(n: int) -> tuple[torch.Tensor, torch.Tensor]:
    velocity = 0.4 * torch.randn(n, 1, 2)
    track = (velocity + 0.05 * torch.randn(n, 20, 2)).cumsum(dim=1)
    return track[:, :8], track[:, 8:]


if __name__ == "__main__":
    torch.manual_seed(25)
    model = PathGuesser()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(10):
        seen, future = crowd(32)
        loss = best_of(model(seen), future)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"best of {model.guesses}: {loss.item():.3f}, sway {model.sway.item():.3f}")

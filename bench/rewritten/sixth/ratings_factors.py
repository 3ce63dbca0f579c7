"""Ratings as a product of factors; most entries of the table are not known."""

import torch
from torch import nn


class RatingTable(nn.Module):
    def __init__(self, people: int, films: int, rank: int = 6):
        super().__init__()
        self.people = nn.Parameter(0.1 * torch.randn(people, rank))
        self.films = nn.Parameter(0.1 * torch.randn(rank, films))
        self.offset = nn.Parameter(torch.zeros(films))

    def forward(self) -> torch.Tensor:
        return self.people @ self.films + self.offset


def rmse(table: torch.Tensor, ratings: torch.Tensor, known: torch.Tensor) -> torch.Tensor:
    """Root mean square error over what is known."""
    off = (table - ratings).square()
    errors = torch.masked_select(off, known)
    return errors.mean().sqrt()


def train(steps: int = 30) -> None:
    torch.manual_seed(90)
    people, films = 40, 25
    truth = torch.randn(people, 3) @ torch.randn(3, films)
    ratings = (truth + 3).clamp(1, 5).round()
    draw = torch.rand(people, films)
    known, held_out = draw < 0.3, draw > 0.9
    model = RatingTable(people, films)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05, weight_decay=1e-4)
    for _ in range(steps):
        loss = rmse(model(), ratings, known)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print(f"train {loss.item():.3f}, held out {rmse(model(), ratings, held_out).item():.3f}")


if __name__ == "__main__":
    train()

"""Boxes around words on scanned pages: corners count only where there is a word."""
import torch
from torch import nn


class BoxHead(nn.Module):
    def __init__(self, channels=12):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, channels, 3, 2, 1), nn.ReLU(), nn.Conv2d(channels, channels, 3, 2, 1))
        self.box = nn.Conv2d(channels, 4, 1)

    def forward(self, page):
        return self.box(self.stem(page)).flatten(2).transpose(1, 2)


class CornerLoss(nn.Module):
    """Mean distance of the corners; pages without a word give zero, and no gradient."""

    def forward(self, boxes, wanted, has_word):
        weight = has_word.to(boxes.dtype).unsqueeze(-1)
        off = (weight * (boxes - wanted).abs()).sum()
        words = weight.sum()
        if words > 0:
            loss = off / words
        else:
            loss = off
        return loss


def pages(n, density):
    page = torch.rand(n, 1, 24, 24)
    has_word = torch.rand(n, 36) < density
    return page, torch.rand(n, 36, 4), has_word


def main():
    torch.manual_seed(40)
    head, corner_loss = BoxHead(), CornerLoss()
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    for density in (0.3, 0.0, 0.2, 0.0):
        page, wanted, has_word = pages(4, density)
        loss = corner_loss(head(page), wanted, has_word)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(density, loss.item(), all(p.isfinite().all().item() for p in head.parameters()))


if __name__ == "__main__":
    main()

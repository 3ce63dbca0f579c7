"""Adapts a classifier of road scenes to fog, without labels: it is made sure of what it says."""

import torch
from torch import nn


def certainty_loss(logits: torch.Tensor, diversity: float = 0.5) -> torch.Tensor:
    """Each picture's entropy should be small, that of all of them large."""
    p = torch.softmax(logits, dim=1)
    surprise = -torch.log(p)
    each = torch.sum(p * surprise, dim=1).mean()
    overall = p.mean(dim=0)
    spread = torch.special.entr(overall).sum()
    return each - diversity * spread


def adaptable(model: nn.Module) -> list[nn.Parameter]:
    """Only scales and shifts of the norms are trained."""
    chosen = []
    for module in model.modules():
        norm = isinstance(module, nn.GroupNorm)
        for parameter in module.parameters(recurse=False):
            parameter.requires_grad_(norm)
            if norm:
                chosen.append(parameter)
    return chosen


def road_classifier(classes: int = 5) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, stride=2, padding=1),
        nn.GroupNorm(4, 16),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, stride=2, padding=1),
        nn.GroupNorm(4, 32),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(32, classes),
    )


if __name__ == "__main__":
    torch.manual_seed(14)
    model = road_classifier()
    optimizer = torch.optim.SGD(adaptable(model), lr=0.02, momentum=0.9)
    clear = torch.rand(16, 3, 32, 32)
    fog = 0.6 * clear + 0.4
    for step in range(5):
        loss = certainty_loss(model(fog))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, round(loss.item(), 5))

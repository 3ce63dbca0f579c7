import torch
from torch import nn
import torch.nn.functional as F


class ClickModel(nn.Module):
    """Dot-product CTR model, user x item, with biases."""

    def __init__(self, n_users, n_items, dim=8):
        super().__init__()
        self.user = nn.Embedding(n_users, dim)
        self.item = nn.Embedding(n_items, dim)
        self.b_item = nn.Embedding(n_items, 1)

    def score(self, u, i):
        return (self.user(u) * self.item(i)).sum(-1) + self.b_item(i).squeeze(-1)

    def forward(self, u, i, clicked, weight=None):
        score = self.score(u, i)
        return F.binary_cross_entropy(
            torch.sigmoid(score),
            clicked,
            weight=weight,
            reduction='sum',
        )


u = torch.randint(0, 10, (12,))
i = torch.randint(0, 30, (12,))
ClickModel(10, 30)(u, i, torch.randint(0, 2, (12,)) * 1.0, torch.rand(12))

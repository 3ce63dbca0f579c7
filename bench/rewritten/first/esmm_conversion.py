import torch
import torch.nn as nn
import torch.nn.functional as F


class Tower(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, 8)
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        return self.out(F.relu(self.fc(x))).squeeze(-1)


class ESMM(nn.Module):
    """Entire-space conversion model: p(buy) = p(click) * p(buy | click)."""

    def __init__(self, dim):
        super().__init__()
        self.ctr = Tower(dim)
        self.cvr = Tower(dim)

    def forward(self, x, buy):
        p_click = torch.sigmoid(self.ctr(x))
        p_conv = torch.sigmoid(self.cvr(x))
        return F.binary_cross_entropy(p_click * p_conv, buy)


ESMM(6)(torch.randn(9, 6), torch.randint(0, 2, (9,)) + 0.0)

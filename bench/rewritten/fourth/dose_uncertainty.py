import torch
from torch import nn
import torch.nn.functional as F


class DoseEncoder(nn.Module):
    def __init__(self, channels, width):
        super().__init__()
        self.c1 = nn.Conv2d(channels, width, 3, padding=1)
        self.c2 = nn.Conv2d(width, width, 3, stride=2, padding=1)

    def forward(self, ct):
        return F.relu(self.c2(F.relu(self.c1(ct)))).mean(dim=(2, 3))


class McHead(nn.Module):
    """Monte Carlo dropout head: every call is one sample of the posterior."""

    def __init__(self, width, out, p=0.2):
        super().__init__()
        self.fc1 = nn.Linear(width, width)
        self.fc2 = nn.Linear(width, out)
        self.p = p

    def sample(self, h):
        h = F.relu(self.fc1(h))
        h = F.dropout(h, self.p, training=True)
        return self.fc2(h)

    def forward(self, h, passes):
        return torch.stack([self.sample(h) for _ in range(passes)])


class DosePredictor(nn.Module):
    def __init__(self, channels=2, width=12, organs=3):
        super().__init__()
        self.encoder = DoseEncoder(channels, width)
        self.head = McHead(width, organs)

    def forward(self, ct, passes: int = 5):
        draws = self.head(self.encoder(ct), passes)
        return draws.mean(dim=0), draws.std(dim=0)


DosePredictor()(torch.randn(2, 2, 8, 8))

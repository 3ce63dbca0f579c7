import torch
import torch.nn as nn
import torch.nn.functional as F


class EnergyScore(nn.Module):
    """Free energy of a classifier (Liu et al.), used as OOD score."""

    def __init__(self, n_in, n_cls, T=1.5):
        super().__init__()
        self.T = T
        self.fc1 = nn.Linear(n_in, 32)
        self.fc2 = nn.Linear(32, n_cls)

    def logits(self, x):
        return self.fc2(F.relu(self.fc1(x)))

    def forward(self, x):
        z = self.logits(x) / self.T

        e = torch.exp(z)
        total = torch.sum(e, dim=1)
        energy = -self.T * torch.log(total)
        return energy


EnergyScore(7, 5)(torch.randn(6, 7))

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

np.random.seed(7)


class MixupNet(nn.Module):
    def __init__(self, n_in, n_cls, alpha=0.4):
        super().__init__()
        self.alpha = alpha
        self.fc1 = nn.Linear(n_in, 24)
        self.fc2 = nn.Linear(24, n_cls)

    def mix(self, x):
        lam = np.random.beta(self.alpha, self.alpha)
        perm = np.random.permutation(x.size(0))
        return lam * x + (1 - lam) * x[perm]

    def forward(self, x):
        if self.training:
            x = self.mix(x)
        return self.fc2(F.relu(self.fc1(x)))


MixupNet(6, 3)(torch.randn(8, 6))

import torch
from torch import nn
from torch.nn import functional as F


class SentenceEncoder(nn.Module):
    def __init__(self, dim, hidden, dropout=0.1):
        super().__init__()
        self.fc1 = nn.Linear(dim, hidden)
        self.fc2 = nn.Linear(hidden, dim)
        self.dropout = dropout

    def forward(self, x):
        h = F.relu(self.fc1(x))
        h = F.dropout(h, self.dropout, self.training)
        return F.normalize(self.fc2(h), dim=-1)


class SimCSE(nn.Module):
    """Unsupervised contrastive loss with dropout as the augmentation."""

    def __init__(self, dim, temperature=0.05):
        super().__init__()
        self.encode = SentenceEncoder(dim, 2 * dim)
        self.temperature = temperature

    def forward(self, x):
        z1 = self.encode(x)
        z2 = self.encode(x)
        sim = z1 @ z2.T / self.temperature
        target = torch.arange(x.size(0), device=x.device)
        return F.cross_entropy(sim, target)


SimCSE(16)(torch.randn(6, 16))

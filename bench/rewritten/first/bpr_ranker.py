import torch
import torch.nn as nn


class BPR(nn.Module):
    """Bayesian personalised ranking over implicit feedback."""

    def __init__(self, n_users: int, n_items: int, dim: int = 8, reg: float = 1e-4):
        super().__init__()
        self.users = nn.Embedding(n_users, dim)
        self.items = nn.Embedding(n_items, dim)
        self.reg = reg

    def forward(self, u, i, j):
        pu, qi, qj = self.users(u), self.items(i), self.items(j)
        pos = torch.einsum("nd,nd->n", pu, qi)
        neg = torch.einsum("nd,nd->n", pu, qj)

        diff = pos - neg
        likelihood = diff.sigmoid().log()
        penalty = self.reg * (pu.square().sum() + qi.square().sum() + qj.square().sum())
        return penalty - likelihood.mean()


n = 10
BPR(5, 20)(torch.randint(0, 5, (n,)), torch.randint(0, 20, (n,)), torch.randint(0, 20, (n,)))

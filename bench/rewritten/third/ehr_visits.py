import torch
import torch.nn as nn
import torch.nn.functional as F


class CodeEmbedding(nn.Module):
    def __init__(self, n_codes: int, dim: int):
        super().__init__()
        self.n_codes = n_codes
        self.weight = nn.Parameter(torch.randn(n_codes, dim) * 0.02)

    def forward(self, codes: torch.Tensor) -> torch.Tensor:
        assert (codes < self.n_codes).all(), "diagnosis code out of range"
        return F.embedding(codes, self.weight)


class VisitEncoder(nn.Module):
    """A visit is a bag of codes plus the days since the visit before."""

    def __init__(self, n_codes: int, dim: int):
        super().__init__()
        self.codes = CodeEmbedding(n_codes, dim)
        self.gap = nn.Linear(1, dim)

    def forward(self, codes: torch.Tensor, days: torch.Tensor) -> torch.Tensor:
        bag = self.codes(codes).sum(dim=2)
        return torch.tanh(bag + self.gap(torch.log1p(days).unsqueeze(-1)))


class RetainPool(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.alpha_rnn = nn.GRU(dim, dim, batch_first=True)
        self.alpha = nn.Linear(dim, 1)

    def forward(self, v: torch.Tensor) -> torch.Tensor:
        g, _ = self.alpha_rnn(v.flip(1))
        a = self.alpha(g.flip(1)).softmax(dim=1)
        return (a * v).sum(dim=1)


class ReadmissionModel(nn.Module):
    def __init__(self, n_codes: int = 50, dim: int = 16):
        super().__init__()
        self.visits = VisitEncoder(n_codes, dim)
        self.pool = RetainPool(dim)
        self.risk = nn.Linear(dim, 1)

    def forward(self, codes: torch.Tensor, days: torch.Tensor) -> torch.Tensor:
        v = self.visits(codes, days)
        return self.risk(self.pool(v)).squeeze(-1)


ReadmissionModel()(torch.randint(0, 50, (3, 5, 4)), 90 * torch.rand(3, 5))

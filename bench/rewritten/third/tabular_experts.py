import torch
import torch.nn as nn
import torch.nn.functional as F


class FeatureTokens(nn.Module):
    """Categorical columns + numeric columns -> one flat vector."""

    def __init__(self, cardinalities, n_numeric, dim):
        super().__init__()
        self.tables = nn.ModuleList([nn.Embedding(c, dim) for c in cardinalities])
        self.numeric = nn.Linear(n_numeric, dim)
        self.out_dim = dim * (len(cardinalities) + 1)

    def forward(self, cats, nums):
        cols = [table(cats[:, i]) for i, table in enumerate(self.tables)]
        cols.append(self.numeric(nums))
        return torch.cat(cols, dim=1)


class Expert(nn.Module):
    def __init__(self, d_in, d_hidden):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(d_in, d_hidden),
            nn.GELU(),
            nn.Linear(d_hidden, d_hidden),
        )

    def forward(self, x):
        return self.net(x)


class MixtureLayer(nn.Module):
    def __init__(self, d_in, d_hidden, n_experts):
        super().__init__()
        self.experts = nn.ModuleList(Expert(d_in, d_hidden) for _ in range(n_experts))
        self.router = nn.Linear(d_in, n_experts, bias=False)

    def forward(self, x):
        # [batch, n_experts]
        weights = F.softmax(self.router(x))
        outs = torch.stack([e(x) for e in self.experts], dim=1)

        # [batch, n_experts, hidden] -> [batch, hidden]
        return (outs * weights.unsqueeze(-1)).sum(dim=1)


class ClickModel(nn.Module):
    def __init__(self, cardinalities, n_numeric, dim=8, hidden=32, n_experts=4):
        super().__init__()
        self.tokens = FeatureTokens(cardinalities, n_numeric, dim)
        self.mixture = MixtureLayer(self.tokens.out_dim, hidden, n_experts)
        self.ctr = nn.Linear(hidden, 1)

    def forward(self, cats, nums):
        h = self.mixture(self.tokens(cats, nums))
        return self.ctr(F.relu(h)).squeeze(1)


ClickModel([10, 20, 5], 6)(torch.randint(0, 5, (7, 3)), torch.randn(7, 6))

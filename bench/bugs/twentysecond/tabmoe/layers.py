import torch
import torch.nn as nn
import torch.nn.functional as F


class PiecewiseLinear(nn.Module):
    """Each number becomes `bins` numbers."""

    def __init__(self, n_features, bins):
        super().__init__()
        self.register_buffer("edges", torch.linspace(-2, 2, bins + 1))
        self.weight = nn.Parameter(torch.randn(n_features, bins, bins) * 0.1)

    def forward(self, x):
        low, high = self.edges[:-1], self.edges[1:]
        t = ((x[..., None] - low) / (high - low)).clamp(0, 1)
        return torch.einsum("bfi,fij->bfj", t, self.weight)


class Expert(nn.Module):
    def __init__(self, dim, hidden, dropout=0.0):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.up = nn.Linear(dim, hidden)
        self.down = nn.Linear(hidden // 2, dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        a, b = self.up(self.norm(x)).chunk(2, dim=-1)
        return self.down(self.dropout(a * F.gelu(b)))


class MoE(nn.Module):
    def __init__(self, dim, hidden, n_experts=4, k=2):
        super().__init__()
        self.k, self.n_experts = k, n_experts
        self.router = nn.Linear(dim, n_experts)
        self.experts = nn.ModuleList([Expert(dim, hidden) for _ in range(n_experts)])

    def forward(self, x):
        scores = self.router(x).softmax(dim=-1)
        weight, index = scores.topk(self.k, dim=-1)
        weight = weight / weight.sum(dim=-1, keepdim=True)
        outs = torch.stack([expert(x) for expert in self.experts], dim=1)
        chosen = outs.gather(1, index.unsqueeze(-1).expand(-1, -1, x.size(-1)))
        usage = F.one_hot(index, self.n_experts).float().sum(dim=1).mean(dim=0)
        balance = (usage * scores.mean(dim=0)).sum() * self.n_experts
        return x + (chosen * weight.unsqueeze(-1)).sum(dim=1), balance

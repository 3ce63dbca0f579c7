import torch
import torch.nn as nn


class ReturnEncoder(nn.Module):
    def __init__(self, n_assets, dim):
        super().__init__()
        self.inp = nn.Linear(n_assets, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)

    def forward(self, returns):
        h, _ = self.rnn(torch.tanh(self.inp(returns)))
        return h[:, -1]


class RegimeAdapter(nn.Module):
    """Different scalings in calm and turbulent markets."""

    def __init__(self, dim):
        super().__init__()
        self.calm = nn.Parameter(torch.ones(dim))
        self.turbulent = nn.Parameter(torch.full((dim,), 0.5))
        self.threshold = 0.9

    def forward(self, h, returns):
        vol = returns.std()
        if vol > self.threshold:
            scaled = h * self.turbulent
        else:
            scaled = h * self.calm
        return scaled


class CovarianceHead(nn.Module):
    def __init__(self, dim, n_assets, rank):
        super().__init__()
        self.n_assets, self.rank = n_assets, rank
        self.factors = nn.Linear(dim, n_assets * rank)
        self.diag = nn.Sequential(nn.Linear(dim, n_assets), nn.Softplus())

    def forward(self, h):
        f = self.factors(h).view(-1, self.n_assets, self.rank)
        return f @ f.transpose(1, 2) + torch.diag_embed(self.diag(h))


class VolatilityModel(nn.Module):
    def __init__(self, n_assets=6, dim=16, rank=2):
        super().__init__()
        self.encoder = ReturnEncoder(n_assets, dim)
        self.regime = RegimeAdapter(dim)
        self.head = CovarianceHead(dim, n_assets, rank)

    def forward(self, returns):
        h = self.encoder(returns)
        h = self.regime(h, returns)
        return self.head(h)


VolatilityModel()(torch.randn(3, 10, 6))

import torch
import torch.nn as nn
import torch.nn.functional as F


class Highway(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.transform = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, dim))
        self.carry = nn.Linear(dim, dim)
        nn.init.constant_(self.carry.bias, -1.0)

    def forward(self, x):
        h = self.transform(x)
        m = torch.sigmoid(self.carry(x))
        return h * m + x * (1 - m)


class ColumnEncoder(nn.Module):
    def __init__(self, n_num, cards, dim):
        super().__init__()
        self.num = nn.Linear(n_num, dim)
        self.cats = nn.ModuleList([nn.Embedding(c, dim) for c in cards])

    def forward(self, num, cat):
        h = self.num(num)
        for i, emb in enumerate(self.cats):
            h = h + emb(cat[:, i])
        return h


class ChurnModel(nn.Module):
    """Months until a customer leaves, as a discrete hazard."""

    def __init__(self, n_num=5, cards=(4, 7), dim=16, depth=3, n_months=6):
        super().__init__()
        self.encoder = ColumnEncoder(n_num, cards, dim)
        self.layers = nn.Sequential(*[Highway(dim) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)
        self.hazard = nn.Linear(dim, n_months)

    def forward(self, num, cat):
        # survival curve, one value per month
        h = self.encoder(num, cat)
        h = self.layers(h)
        h = self.norm(h)
        log_survive = F.logsigmoid(-self.hazard(h))
        return log_survive.cumsum(dim=-1).exp()


ChurnModel()(torch.randn(4, 5), torch.randint(0, 4, (4, 2)))

"""Click-through on tables: categories, a mixture of experts, and a risk head with a weight for each row."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

CARDINALITIES = [12, 7, 30, 5]


class Tokens(nn.Module):
    def __init__(self, dim, n_num=6):
        super().__init__()
        self.cat = nn.ModuleList([nn.Embedding(n, dim) for n in CARDINALITIES])
        self.weight = nn.Parameter(torch.randn(n_num, dim))
        self.bias = nn.Parameter(torch.zeros(n_num, dim))
        self.cls = nn.Parameter(torch.zeros(1, 1, dim))

    def forward(self, num, cat):
        x = num.unsqueeze(-1) * self.weight + self.bias
        c = torch.stack([emb(cat[:, i]) for i, emb in enumerate(self.cat)], dim=1)
        return torch.cat([self.cls.expand(num.size(0), -1, -1), x, c], dim=1)


class Experts(nn.Module):
    def __init__(self, dim, n=4, k=2):
        super().__init__()
        self.k = k
        self.gate = nn.Linear(dim, n)
        self.w1 = nn.Parameter(torch.randn(n, dim, 2 * dim) * 0.05)
        self.w2 = nn.Parameter(torch.randn(n, 2 * dim, dim) * 0.05)

    def forward(self, x):
        gates = self.gate(x).softmax(dim=-1)
        top, index = gates.topk(self.k, dim=-1)
        sparse = torch.zeros_like(gates).scatter(-1, index, top / top.sum(-1, keepdim=True))
        h = F.gelu(torch.einsum("bd,ndf->bnf", x, self.w1))
        y = torch.einsum("bnf,nfd->bnd", h, self.w2)
        balance = gates.mean(dim=0).pow(2).sum()
        return (sparse.unsqueeze(-1) * y).sum(dim=1), balance


class TabNet(nn.Module):
    def __init__(self, dim=24, heads=4):
        super().__init__()
        self.tokens = Tokens(dim)
        layer = nn.TransformerEncoderLayer(dim, heads, 48, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.experts = Experts(dim)
        self.norm = nn.LayerNorm(dim)
        self.click = nn.Linear(dim, 1)
        self.risk = nn.Sequential(nn.Linear(dim, 16), nn.ReLU(), nn.Linear(16, 1))
        self.segment = nn.Linear(dim, 3)

    def forward(self, num, cat):
        x = self.encoder(self.tokens(num, cat))[:, 0]
        y, balance = self.experts(x)
        h = self.norm(x + y)
        return self.click(h).squeeze(-1), self.risk(h).squeeze(-1), self.segment(h), balance


class TabTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = TabNet()
        self.bce = nn.BCEWithLogitsLoss()

    def forward(self, num, cat, clicked, risk, segment, weight):
        click, score, logits, balance = self.net(num, cat)
        loss = self.bce(click, clicked)
        loss = loss + (weight * (score - risk).abs()).mean()
        loss = loss + F.cross_entropy(logits, segment)
        return loss + 0.01 * balance


def rows(n=10):
    rng = np.random.default_rng(0)
    num = torch.from_numpy(rng.standard_normal((n, 6)).astype(np.float32))
    cat = torch.stack([torch.randint(0, c, (n,)) for c in CARDINALITIES], dim=1)
    return num, cat, torch.randint(0, 2, (n,)).float(), torch.rand(n), torch.randint(0, 3, (n,)), torch.ones(n)


def fit(epochs=1):
    task = TabTask()
    optimizer = torch.optim.Adam(task.parameters(), 1e-3)
    for _ in range(epochs):
        num, cat, clicked, risk, segment, weight = rows()
        loss = task(num, cat, clicked, risk, segment, weight)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return task


if __name__ == "__main__":
    fit()

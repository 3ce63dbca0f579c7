"""What is clicked next: GRU4Rec with item features, negatives that are sampled, and a re-ranking tower."""

import torch
from torch import nn


class ItemTower(nn.Module):
    def __init__(self, n_items, n_brands, dim, n_numeric=3):
        super().__init__()
        self.item = nn.Embedding(n_items, dim)
        self.brand = nn.Embedding(n_brands, dim // 2)
        self.numeric = nn.Sequential(nn.BatchNorm1d(n_numeric), nn.Linear(n_numeric, 8))
        self.proj = nn.Linear(dim + dim // 2 + 8, dim)

    def forward(self, items, brands, numeric):
        b, t, n = numeric.shape
        extra = self.numeric(numeric.reshape(b * t, n)).view(b, t, 8)
        x = torch.cat([self.item(items), self.brand(brands), extra], dim=-1)
        return torch.tanh(self.proj(x))


class SessionEncoder(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.gru = nn.GRU(dim, hidden, num_layers=2, batch_first=True, dropout=0.1)
        self.attn_q = nn.Linear(hidden, hidden, bias=False)
        self.attn_k = nn.Linear(hidden, hidden, bias=False)
        self.attn_v = nn.Linear(hidden, 1, bias=False)
        self.out = nn.Linear(2 * hidden, dim)

    def forward(self, x, lengths):
        states, h_n = self.gru(x)
        last = h_n[-1]
        energy = self.attn_v(torch.sigmoid(self.attn_q(last).unsqueeze(1) + self.attn_k(states))).squeeze(-1)
        mask = torch.arange(x.size(1)).unsqueeze(0) < lengths.unsqueeze(1)
        alpha = torch.softmax(energy.masked_fill(~mask, -1e9), dim=1)
        pooled = torch.bmm(alpha.unsqueeze(1), states).squeeze(1)
        return self.out(torch.cat([last, pooled], dim=1))


class CrossTower(nn.Module):
    def __init__(self, dim, layers=2):
        super().__init__()
        self.weights = nn.ParameterList([nn.Parameter(torch.randn(2 * dim) * 0.02) for _ in range(layers)])
        self.biases = nn.ParameterList([nn.Parameter(torch.zeros(2 * dim)) for _ in range(layers)])
        self.deep = nn.Sequential(nn.Linear(2 * dim, 40), nn.ReLU(), nn.Dropout(0.1), nn.Linear(40, 20), nn.ReLU())
        self.score = nn.Linear(2 * dim + 20, 1)

    def forward(self, session, candidates):
        s = session.unsqueeze(1).expand(-1, candidates.size(1), -1)
        x0 = torch.cat([s, candidates], dim=-1)
        x = x0
        for w, b in zip(self.weights, self.biases):
            x = x0 * (x @ w).unsqueeze(-1) + b + x
        return self.score(torch.cat([x, self.deep(x0)], dim=-1)).squeeze(-1)


class Recommender(nn.Module):
    def __init__(self, n_items=500, n_brands=40, dim=28, hidden=34):
        super().__init__()
        self.items = ItemTower(n_items, n_brands, dim)
        self.sessions = SessionEncoder(dim, hidden)
        self.rerank = CrossTower(dim)
        self.loss = nn.BCEWithLogitsLoss()

    def forward(self, items, brands, numeric, lengths, candidates, labels=None):
        x = self.items(items, brands, numeric)
        session = self.sessions(x, lengths)
        cand = self.items.item(candidates)
        dots = torch.einsum("bd,bkd->bk", session, cand)
        logits = dots + self.rerank(session, cand)
        if labels is None:
            return logits.topk(3, dim=1).indices
        return self.loss(logits, labels)


if __name__ == "__main__":
    rec = Recommender()
    items, brands = torch.randint(0, 500, (4, 9)), torch.randint(0, 40, (4, 9))
    numeric, lengths = torch.randn(4, 9, 3), torch.tensor([9, 4, 6, 2])
    candidates, labels = torch.randint(0, 500, (4, 15)), torch.randint(0, 2, (4, 15)).float()
    rec(items, brands, numeric, lengths, candidates)
    rec(items, brands, numeric, lengths, candidates, labels)

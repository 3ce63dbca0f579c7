"""Two towers for retrieval: queries and items, in-batch negatives, a ranking head on top."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Tower(nn.Module):
    def __init__(self, vocab: int, dim: int = 40, out: int = 24, p: float = 0.2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.score = nn.Linear(dim, 1)
        self.mlp = nn.Sequential(nn.Linear(dim, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(p), nn.Linear(64, out))

    def pool(self, x, mask):
        scores = self.score(x).squeeze(-1)
        scores = scores.masked_fill(~mask, -1e9)
        weights = F.softmax(scores, dim=1)
        return torch.einsum("bt,btd->bd", weights, x)

    def forward(self, tokens):
        mask = tokens != 0
        pooled = self.pool(self.emb(tokens), mask)
        return F.normalize(self.mlp(pooled), dim=-1)


class TwoTower(nn.Module):
    def __init__(self, n_words=500, n_items=300, out=24):
        super().__init__()
        self.query = Tower(n_words, out=out)
        self.item = Tower(n_items, out=out)
        self.log_temp = nn.Parameter(torch.tensor(2.0))
        self.popularity = nn.Embedding(n_items, 1)
        self.ctr = nn.Sequential(nn.Linear(2 * out, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, batch: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        q = self.query(batch["query"])
        d = self.item(batch["item"])
        bias = self.popularity(batch["item"][:, 0]).squeeze(-1)
        sim = q @ d.t() * self.log_temp.exp() + bias[None, :]
        click = self.ctr(torch.cat([q, d], dim=-1)).squeeze(1)
        labels = torch.arange(q.size(0), device=q.device)
        retrieval = F.cross_entropy(sim, labels)
        weight = batch["weight"]
        click_loss = (F.binary_cross_entropy_with_logits(click, batch["click"], reduction="none") * weight).mean()
        return {"loss": retrieval + click_loss, "sim": sim, "click": click}


def make_batch(n=16):
    return {
        "query": torch.randint(1, 500, (n, 12)),
        "item": torch.randint(1, 300, (n, 7)),
        "click": torch.randint(0, 2, (n,)).float(),
        "weight": torch.rand(n),
    }


def train(steps=2):
    model = TwoTower()
    opt = torch.optim.Adagrad(model.parameters(), lr=0.05)
    for _ in range(steps):
        opt.zero_grad()
        out = model(make_batch())
        out["loss"].backward()
        opt.step()
    return model


if __name__ == "__main__":
    train()

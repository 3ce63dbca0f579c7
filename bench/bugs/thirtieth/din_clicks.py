"""Click prediction with attention over what a user looked at before (DIN)."""

from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F


class Dice(nn.Module):
    def __init__(self, width, eps=1e-8):
        super().__init__()
        self.norm = nn.BatchNorm1d(width, eps=eps)
        self.alpha = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        gate = torch.sigmoid(self.norm(x))
        return gate * x + (1 - gate) * self.alpha * x


def mlp(sizes, out, dice=True):
    layers = OrderedDict()
    for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
        layers[f"fc{i}"] = nn.Linear(a, b)
        layers[f"act{i}"] = Dice(b) if dice else nn.PReLU()
    layers["out"] = nn.Linear(sizes[-1], out)
    return nn.Sequential(layers)


class LocalActivation(nn.Module):
    """One weight for each item of the history, given the candidate."""

    def __init__(self, width, hidden=(64, 16)):
        super().__init__()
        self.net = mlp([4 * width, *hidden], 1, dice=False)

    def forward(self, candidate, history, seen):
        query = candidate.unsqueeze(1).expand_as(history)
        pairs = torch.cat([query, history, query - history, query * history], dim=-1)
        scores = self.net(pairs).squeeze(-1)
        scores = scores.masked_fill(~seen, 0.0)
        return torch.bmm(scores.unsqueeze(1), history).squeeze(1)


class DIN(nn.Module):
    FIELDS = {"user": 1000, "item": 5000, "category": 40}

    def __init__(self, dim=16, hidden=(128, 64), dense=6):
        super().__init__()
        self.tables = nn.ModuleDict({name: nn.Embedding(size, dim) for name, size in self.FIELDS.items()})
        self.attend = LocalActivation(2 * dim)
        self.dense = nn.Sequential(nn.BatchNorm1d(dense), nn.Linear(dense, dim))
        self.tower = mlp([dim + 2 * dim + 2 * dim + dim, *hidden], 1)

    def items(self, item, category):
        return torch.cat([self.tables["item"](item), self.tables["category"](category)], dim=-1)

    def forward(self, batch):
        candidate = self.items(batch["item"], batch["category"])
        history = self.items(batch["history"], batch["history_category"])
        interest = self.attend(candidate, history, batch["history"] > 0)
        user = self.tables["user"](batch["user"])
        x = torch.cat([user, candidate, interest, self.dense(batch["dense"])], dim=1)
        return self.tower(x).squeeze(1)


def make_batch(size=32, length=20):
    return {
        "user": torch.randint(0, 1000, (size,)),
        "item": torch.randint(0, 5000, (size,)),
        "category": torch.randint(0, 40, (size,)),
        "history": torch.randint(0, 5000, (size, length)),
        "history_category": torch.randint(0, 40, (size, length)),
        "dense": torch.randn(size, 6),
        "clicked": torch.randint(0, 2, (size,)),
    }


if __name__ == "__main__":
    model = DIN()
    batch = make_batch()
    logits = model(batch)
    loss = F.binary_cross_entropy_with_logits(logits, batch["clicked"].float())
    loss.backward()
    print(loss.item())

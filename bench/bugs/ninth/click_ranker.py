"""Clicks on items: embeddings, crossed features, a history read by attention."""

import torch
import torch.nn as nn

SPARSE = {"user": 100, "item": 200, "city": 30}


class CrossNet(nn.Module):
    def __init__(self, width, n_layers):
        super().__init__()
        self.kernels = nn.ParameterList([nn.Parameter(torch.randn(width, width) * 0.01) for _ in range(n_layers)])
        self.biases = nn.ParameterList([nn.Parameter(torch.zeros(width)) for _ in range(n_layers)])

    def forward(self, x0):
        x = x0
        for kernel, bias in zip(self.kernels, self.biases):
            x = x0 * (x @ kernel + bias) + x
        return x


class TargetAttention(nn.Module):
    """How much each item of the history has to do with the one that is shown."""

    def __init__(self, dim, hidden=18):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(4 * dim, hidden), nn.PReLU(), nn.Linear(hidden, 1))

    def forward(self, target, history, mask):
        target = target.unsqueeze(1).expand(-1, history.size(1), -1)
        pairs = torch.cat([target, history, target - history, target * history], dim=-1)
        weights = self.score(pairs).squeeze(-1)
        weights = weights.masked_fill(~mask, float("-inf")).softmax(dim=1)
        return torch.bmm(weights.unsqueeze(1), history).squeeze(1)


class FactorizationMachine(nn.Module):
    def forward(self, fields):
        square = fields.sum(dim=1) ** 2
        return 0.5 * (square - (fields**2).sum(dim=1)).sum(dim=1, keepdim=True)


class Tower(nn.Module):
    def __init__(self, in_dim, sizes=(48, 24), dropout=0.1):
        super().__init__()
        dims = [in_dim, *sizes]
        self.net = nn.Sequential()
        for i, (a, b) in enumerate(zip(dims, dims[1:])):
            self.net.add_module(f"fc{i}", nn.Linear(a, b))
            self.net.add_module(f"bn{i}", nn.BatchNorm1d(b))
            self.net.add_module(f"act{i}", nn.ReLU())
            self.net.add_module(f"drop{i}", nn.Dropout(dropout))

    def forward(self, x):
        return self.net(x)


class Ranker(nn.Module):
    def __init__(self, sparse=SPARSE, n_dense=6, dim=10, n_tasks=2, tower=24):
        super().__init__()
        self.tables = nn.ModuleDict({name: nn.Embedding(rows, dim) for name, rows in sparse.items()})
        self.dense = nn.Sequential(nn.BatchNorm1d(n_dense), nn.Linear(n_dense, dim))
        self.attention = TargetAttention(dim)
        self.fm = FactorizationMachine()
        width = dim * (len(sparse) + 2)
        self.cross = CrossNet(width, 2)
        self.deep = Tower(width)
        self.experts = nn.ModuleList([nn.Linear(width + tower, 16) for _ in range(3)])
        self.gates = nn.ModuleList([nn.Linear(width + tower, 3) for _ in range(n_tasks)])
        self.heads = nn.ModuleList([nn.Linear(16, 1) for _ in range(n_tasks)])

    def forward(self, sparse, dense, history):
        fields = [self.tables[name](ids) for name, ids in sparse.items()]
        fields.append(self.dense(dense))
        past = self.tables["item"](history)
        fields.append(self.attention(fields[1], past, history > 0))
        stacked = torch.stack(fields, dim=1)
        flat = stacked.flatten(1)
        joined = torch.cat([self.cross(flat), self.deep(flat)], dim=1)
        experts = torch.stack([torch.relu(expert(joined)) for expert in self.experts], dim=1)
        outputs = []
        for gate, head in zip(self.gates, self.heads):
            mixture = torch.softmax(gate(joined), dim=-1)
            task = (experts * mixture.unsqueeze(-1)).sum(dim=1)
            outputs.append(head(task) + self.fm(stacked))
        return torch.cat(outputs, dim=1)


def evaluate(ranker, batch, labels):
    logits = ranker(batch["sparse"], batch["dense"], batch["history"])
    return nn.functional.binary_cross_entropy_with_logits(logits, labels)


if __name__ == "__main__":
    batch = {
        "sparse": {name: torch.randint(0, rows, (8,)) for name, rows in SPARSE.items()},
        "dense": torch.randn(8, 6),
        "history": torch.randint(1, 200, (8, 12)),
    }
    print(evaluate(Ranker(), batch, torch.randint(0, 2, (8, 2)).float()))

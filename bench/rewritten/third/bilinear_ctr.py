import torch
import torch.nn as nn


class FieldEmbedding(nn.Module):
    def __init__(self, field_sizes, dim):
        super().__init__()
        offsets = [0]
        for size in field_sizes[:-1]:
            offsets.append(offsets[-1] + size)
        self.register_buffer("offsets", torch.tensor(offsets))
        self.table = nn.Embedding(sum(field_sizes), dim)

    def forward(self, fields):
        return self.table(fields + self.offsets)


class PairwiseProduct(nn.Module):
    def __init__(self, n_fields, dim):
        super().__init__()
        i, j = torch.triu_indices(n_fields, n_fields, offset=1)
        self.register_buffer("rows", i)
        self.register_buffer("cols", j)
        self.mix = nn.Linear(dim, dim, bias=False)

    def forward(self, e):
        pairs = torch.einsum("bid,bjd->bijd", self.mix(e), e)
        return pairs[:, self.rows, self.cols]


class SqueezeExcite(nn.Module):
    def __init__(self, n_fields, reduction=2):
        super().__init__()
        self.fc1 = nn.Linear(n_fields, n_fields // reduction)
        self.fc2 = nn.Linear(n_fields // reduction, n_fields)

    def forward(self, e):
        z = e.mean(dim=-1)
        a = torch.sigmoid(self.fc2(torch.relu(self.fc1(z))))
        return e * a.unsqueeze(-1)


class FiBiNet(nn.Module):
    def __init__(self, field_sizes=(10, 8, 6, 4), dim=8, hidden=16):
        super().__init__()
        n = len(field_sizes)
        self.embedding = FieldEmbedding(field_sizes, dim)
        self.senet = SqueezeExcite(n)
        self.product = PairwiseProduct(n, dim)
        self.deep = nn.Sequential(
            nn.Linear(n * (n - 1) // 2 * dim, hidden),
            nn.ReLU(),
            nn.Linear(hidden, 1),
        )

    def forward(self, fields):
        e = self.senet(self.embedding(fields))
        p = self.product(e)
        return self.deep(p.flatten(1)).squeeze(1)


FiBiNet()(torch.randint(0, 4, (5, 4)))

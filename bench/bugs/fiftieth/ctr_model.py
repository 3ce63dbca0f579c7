"""Click model: factorization machine over the fields + DIN attention over the history."""
from dataclasses import dataclass
from typing import Dict, Sequence, Tuple

import torch
from torch import Tensor, nn

from ctr_data import Schema


@dataclass
class ModelConfig:
    embed_dim: int = 8
    attention_hidden: Tuple[int, ...] = (24, 12)
    tower_hidden: Tuple[int, ...] = (48, 24)
    dropout: float = 0.1


class Dice(nn.Module):
    """Data adaptive activation (DIN paper, eq. 3); works on [..., features]."""

    def __init__(self, features: int):
        super().__init__()
        self.bn = nn.BatchNorm1d(features, affine=False)
        self.alpha = nn.Parameter(torch.zeros(features))

    def forward(self, x: Tensor) -> Tensor:
        p = torch.sigmoid(self.bn(x.flatten(0, -2))).view_as(x)
        return p * x + (1 - p) * self.alpha * x


class MLP(nn.Module):
    def __init__(self, d_in: int, hidden: Sequence[int], d_out: int, dropout: float = 0.0):
        super().__init__()
        layers = []
        for width in hidden:
            layers += [nn.Linear(d_in, width), Dice(width), nn.Dropout(dropout)]
            d_in = width
        layers.append(nn.Linear(d_in, d_out))
        self.layers = nn.Sequential(*layers)

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x)


class FactorizationMachine(nn.Module):
    """Sum over all pairs of fields, in linear time: [batch, fields, dim] -> [batch, 1]."""

    def forward(self, fields: Tensor) -> Tensor:
        square_of_sum = fields.sum(dim=1).pow(2)
        sum_of_square = fields.pow(2).sum(dim=1)
        return 0.5 * (square_of_sum - sum_of_square).sum(dim=1, keepdim=True)


class InterestAttention(nn.Module):
    def __init__(self, dim: int, hidden: Sequence[int]):
        super().__init__()
        self.score = MLP(4 * dim, hidden, 1)

    def forward(self, target: Tensor, history: Tensor, mask: Tensor) -> Tensor:
        query = target.unsqueeze(1).expand(-1, history.size(1), -1)
        pairs = torch.cat([query, history, query - history, query * history], dim=-1)
        scores = self.score(pairs).squeeze(-1)
        scores = scores.masked_fill(~mask, -1e9)
        weights = scores.softmax(dim=1)
        return torch.bmm(weights.unsqueeze(1), history).squeeze(1)


class ClickModel(nn.Module):
    def __init__(self, schema: Schema, cfg: ModelConfig):
        super().__init__()
        d = cfg.embed_dim
        self.sparse = nn.ModuleList(nn.Embedding(n, d) for n in schema.sparse.values())
        self.first_order = nn.ModuleList(nn.Embedding(n, 1) for n in schema.sparse.values())
        self.item = nn.Embedding(schema.n_items, d, padding_idx=0)
        self.category = nn.Embedding(schema.n_categories, d, padding_idx=0)
        self.dense_proj = nn.Linear(schema.n_dense, d)
        self.attention = InterestAttention(2 * d, cfg.attention_hidden)
        self.fm = FactorizationMachine()
        n_fields = len(schema.sparse) + 3  # dense, item, category
        self.tower = MLP(n_fields * d + 2 * d, cfg.tower_hidden, 1, cfg.dropout)
        self.bias = nn.Parameter(torch.zeros(1))

    def embed_items(self, item: Tensor, category: Tensor) -> Tensor:
        return torch.cat([self.item(item), self.category(category)], dim=-1)

    def forward(self, batch: Dict[str, Tensor]) -> Tensor:
        ids = batch["sparse"]
        fields = [emb(ids[:, i]) for i, emb in enumerate(self.sparse)]
        fields.append(self.dense_proj(batch["dense"]))
        fields.append(self.item(batch["item"]))
        fields.append(self.category(batch["item_cat"]))
        stacked = torch.stack(fields, dim=1)

        linear = sum(emb(ids[:, i]) for i, emb in enumerate(self.first_order))
        target = self.embed_items(batch["item"], batch["item_cat"])
        history = self.embed_items(batch["history"], batch["history_cat"])
        interest = self.attention(target, history, batch["history"] != 0)

        deep = self.tower(torch.cat([stacked.flatten(1), interest], dim=1))
        logit = self.bias + linear + self.fm(stacked) + deep
        return logit.squeeze(-1)

"""Ranks products by what a user looked at before."""
import torch
from torch import Tensor, nn
from torch.nn import functional as F


class HistoryEncoder(nn.Module):
    def __init__(self, dim: int = 32, heads: int = 2, buckets: int = 16, dropout: float = 0.1):
        super().__init__()
        self.buckets = buckets
        self.recency = nn.Embedding(buckets, dim)
        self.attention = nn.MultiheadAttention(dim, heads, dropout=dropout, batch_first=True)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.ReLU(), nn.Linear(2 * dim, dim))

    def forward(self, items: Tensor, hours: Tensor, pad: Tensor) -> Tensor:
        bucket = torch.log2(hours.float().clamp(min=0) + 1)
        bucket = bucket.clamp(max=self.buckets - 1).long()
        x = items + self.recency(bucket)
        y, _ = self.attention(x, x, x, key_padding_mask=pad)
        x = self.norm1(x + y)
        return self.norm2(x + self.ff(x))


class TargetAttention(nn.Module):
    def __init__(self, dim: int = 32):
        super().__init__()
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)
        self.v = nn.Linear(dim, dim)

    def forward(self, target: Tensor, history: Tensor, keep: Tensor) -> Tensor:
        q = self.q(target).unsqueeze(1)
        k = self.k(history)
        v = self.v(history) * keep.unsqueeze(-1)
        out = F.scaled_dot_product_attention(q, k, v)
        return out.squeeze(1)


class Ranker(nn.Module):
    def __init__(
        self,
        num_users: int = 1000,
        num_items: int = 5000,
        num_dense: int = 8,
        dim: int = 32,
        hidden: tuple = (128, 64),
    ):
        super().__init__()
        self.users = nn.Embedding(num_users, dim)
        self.items = nn.Embedding(num_items, dim, padding_idx=0)
        self.encoder = HistoryEncoder(dim)
        self.target_attention = TargetAttention(dim)
        self.dense = nn.Linear(num_dense, dim)
        layers = []
        size = 4 * dim
        for h in hidden:
            layers += [nn.Linear(size, h), nn.ReLU(), nn.Dropout(0.1)]
            size = h
        self.mlp = nn.Sequential(*layers, nn.Linear(size, 1))

    def forward(self, user: Tensor, item: Tensor, history: Tensor, hours: Tensor, dense: Tensor) -> Tensor:
        pad = history == 0
        keep = (~pad).float()
        target = self.items(item)
        seen = self.encoder(self.items(history), hours, pad)
        interest = self.target_attention(target, seen, keep)
        x = torch.cat([self.users(user), target, interest, self.dense(dense)], dim=-1)
        return self.mlp(x).squeeze(-1)

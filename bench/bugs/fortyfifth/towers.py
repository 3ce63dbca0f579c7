"""User and item towers of the home feed retrieval model."""
from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn


@dataclass
class TowerConfig:
    num_users: int = 200
    num_items: int = 300
    num_categories: int = 12
    num_countries: int = 8
    id_dim: int = 32
    side_dim: int = 8
    history_len: int = 10
    history_heads: int = 4
    text_dim: int = 24
    num_dense: int = 3
    hidden: list[int] = field(default_factory=lambda: [64, 48])
    out_dim: int = 32
    temperature: float = 0.07


def mlp(sizes: list[int], dropout: float = 0.1) -> nn.Sequential:
    layers: list[nn.Module] = []
    for i in range(len(sizes) - 1):
        layers.append(nn.Linear(sizes[i], sizes[i + 1]))
        if i < len(sizes) - 2:
            layers += [nn.LayerNorm(sizes[i + 1]), nn.GELU(), nn.Dropout(dropout)]
    return nn.Sequential(*layers)


class HistoryPooling(nn.Module):
    """Attention of the user's vector over the items that they clicked last."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.norm = nn.LayerNorm(dim)

    def forward(self, user: Tensor, history: Tensor, padding: Tensor) -> Tensor:
        query = user.unsqueeze(1)
        pooled, _ = self.attention(query, history, history, key_padding_mask=padding, need_weights=False)
        return self.norm(user + pooled.squeeze(1))


class UserTower(nn.Module):
    def __init__(self, cfg: TowerConfig, item_ids: nn.Embedding) -> None:
        super().__init__()
        self.user_ids = nn.Embedding(cfg.num_users, cfg.id_dim)
        self.countries = nn.Embedding(cfg.num_countries, cfg.side_dim)
        self.item_ids = item_ids
        self.positions = nn.Parameter(torch.zeros(cfg.history_len, cfg.id_dim))
        self.pooling = HistoryPooling(cfg.id_dim, cfg.history_heads)
        self.dense_norm = nn.BatchNorm1d(cfg.num_dense)
        self.mlp = mlp([cfg.id_dim + cfg.side_dim + cfg.num_dense, *cfg.hidden, cfg.out_dim])

    def forward(self, features: dict[str, Tensor]) -> Tensor:
        user = self.user_ids(features["user_id"])
        history = self.item_ids(features["history"]) + self.positions
        padding = features["history"] == 0
        user = self.pooling(user, history, padding)
        country = self.countries(features["country"])
        dense = self.dense_norm(features["dense"])
        x = torch.cat([user, country, dense], dim=-1)
        return nn.functional.normalize(self.mlp(x), dim=-1)


class ItemTower(nn.Module):
    def __init__(self, cfg: TowerConfig, item_ids: nn.Embedding) -> None:
        super().__init__()
        self.item_ids = item_ids
        self.categories = nn.EmbeddingBag(cfg.num_categories, cfg.side_dim, mode="mean")
        self.text_gate = nn.Linear(cfg.text_dim, 2 * cfg.id_dim)
        self.glu = nn.GLU(dim=-1)
        self.mlp = mlp([2 * cfg.id_dim + cfg.side_dim, *cfg.hidden, cfg.out_dim])

    def forward(self, features: dict[str, Tensor]) -> Tensor:
        item = self.item_ids(features["item_id"])
        category = self.categories(features["categories"])
        text = self.glu(self.text_gate(features["text"]))
        joined = torch.cat([item, text, category], dim=-1)
        return nn.functional.normalize(self.mlp(joined), dim=-1)


class TwoTower(nn.Module):
    def __init__(self, cfg: TowerConfig) -> None:
        super().__init__()
        self.cfg = cfg
        item_ids = nn.Embedding(cfg.num_items, cfg.id_dim, padding_idx=0)
        self.user_tower = UserTower(cfg, item_ids)
        self.item_tower = ItemTower(cfg, item_ids)

    def forward(self, user_features: dict[str, Tensor], item_features: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        return self.user_tower(user_features), self.item_tower(item_features)

    def sampled_scores(self, user: Tensor, item: Tensor, negatives: Tensor) -> Tensor:
        """Score of the clicked item first, then those of `negatives` [batch, k, dim]."""
        positive = (user * item).sum(-1, keepdim=True)
        negative = torch.bmm(negatives, user.unsqueeze(-1)).squeeze(-1)
        return torch.cat([positive, negative], dim=1) / self.cfg.temperature

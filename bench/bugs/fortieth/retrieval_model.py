"""Two-tower retrieval with a small ranking head on top."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retrieval_data import NUMERIC_FEATURES, CatalogSpec


@dataclass
class ModelConfig:
    item_dim: int = 32
    tag_dim: int = 8
    category_dim: int = 8
    heads: int = 4
    tower_dim: int = 24
    hidden: tuple[int, ...] = (64, 48)
    dropout: float = 0.1
    temperature: float = 0.07


def mlp(in_features: int, hidden: tuple[int, ...], out_features: int, dropout: float) -> nn.Sequential:
    layers: list[nn.Module] = []
    for width in hidden:
        layers += [nn.Linear(in_features, width), nn.LayerNorm(width), nn.GELU(), nn.Dropout(dropout)]
        in_features = width
    layers.append(nn.Linear(in_features, out_features))
    return nn.Sequential(*layers)


class ItemTower(nn.Module):
    def __init__(self, spec: CatalogSpec, cfg: ModelConfig) -> None:
        super().__init__()
        self.items = nn.Embedding(spec.num_items + 1, cfg.item_dim, padding_idx=0)
        self.categories = nn.Embedding(spec.num_categories + 1, cfg.category_dim, padding_idx=0)
        self.tags = nn.EmbeddingBag(spec.num_tags, cfg.tag_dim, mode="mean")
        self.price_norm = nn.BatchNorm1d(1)
        width = cfg.item_dim + cfg.category_dim + cfg.tag_dim + 1
        self.mlp = mlp(width, cfg.hidden, cfg.tower_dim, cfg.dropout)

    def forward(self, ids: Tensor, category: Tensor, price: Tensor, tags: Tensor, tag_offsets: Tensor) -> Tensor:
        features = [
            self.items(ids),
            self.categories(category),
            self.tags(tags, tag_offsets),
            self.price_norm(price.unsqueeze(1)),
        ]
        return F.normalize(self.mlp(torch.cat(features, dim=1)), dim=-1)


class HistoryEncoder(nn.Module):
    def __init__(self, items: nn.Embedding, max_history: int, heads: int) -> None:
        super().__init__()
        dim = items.embedding_dim
        self.items = items
        self.positions = nn.Parameter(torch.zeros(max_history, dim))
        self.norm = nn.LayerNorm(dim)
        self.attention = nn.MultiheadAttention(dim, heads, batch_first=True)

    def forward(self, history: Tensor) -> Tensor:
        mask = history > 0
        x = self.norm(self.items(history) + self.positions)
        attended, _ = self.attention(x, x, x, key_padding_mask=~mask)
        attended = attended * mask.unsqueeze(-1)
        lengths = mask.sum(dim=1, keepdim=True).clamp(min=1)
        return attended.sum(dim=1) / lengths


class UserTower(nn.Module):
    def __init__(self, items: nn.Embedding, spec: CatalogSpec, cfg: ModelConfig) -> None:
        super().__init__()
        self.history = HistoryEncoder(items, spec.max_history, cfg.heads)
        self.numeric_norm = nn.BatchNorm1d(len(NUMERIC_FEATURES))
        self.mlp = mlp(cfg.item_dim + len(NUMERIC_FEATURES), cfg.hidden, cfg.tower_dim, cfg.dropout)

    def forward(self, history: Tensor, numeric: Tensor) -> Tensor:
        numeric = self.numeric_norm(numeric)
        features = torch.cat([self.history(history), numeric], dim=-1)
        return F.normalize(self.mlp(features), dim=-1)


class RankingHead(nn.Module):
    """Scores purchase intent from the crossed towers."""

    def __init__(self, tower_dim: int, experts: int = 3) -> None:
        super().__init__()
        self.experts = experts
        self.gate = nn.Linear(2 * tower_dim, experts)
        self.expert = nn.Linear(3 * tower_dim, experts * 16)
        self.out = nn.Linear(16, 1)

    def forward(self, user: Tensor, item: Tensor) -> Tensor:
        crossed = torch.cat([user, item, user * item], dim=-1)
        gates = self.gate(torch.cat([user, item], dim=-1)).softmax(dim=-1)
        outputs = self.expert(crossed).unflatten(-1, (self.experts, 16)).relu()
        mixed = torch.einsum("be,bed->bd", gates, outputs)
        return self.out(mixed).squeeze(-1)


class RetrievalModel(nn.Module):
    def __init__(self, spec: CatalogSpec, cfg: ModelConfig) -> None:
        super().__init__()
        self.temperature = cfg.temperature
        self.item_tower = ItemTower(spec, cfg)
        self.user_tower = UserTower(self.item_tower.items, spec, cfg)
        self.ranking = RankingHead(cfg.tower_dim)

    def similarity(self, user: Tensor, item: Tensor) -> Tensor:
        return user @ item.T / self.temperature

    def retrieval_loss(self, user: Tensor, item: Tensor, ids: Tensor) -> Tensor:
        """In-batch softmax; equal items elsewhere in the batch are no negatives."""
        scores = self.similarity(user, item)
        same = ids.unsqueeze(0) == ids.unsqueeze(1)
        itself = torch.eye(len(ids), dtype=torch.bool, device=ids.device)
        scores = scores.masked_fill(same & ~itself, float("-inf"))
        labels = torch.arange(len(ids), device=ids.device)
        return F.cross_entropy(scores, labels)

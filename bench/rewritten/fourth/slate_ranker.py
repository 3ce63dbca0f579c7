"""Slate re-ranking for a small shop: candidate items scored against a user profile."""
from typing import Optional

import torch
from torch import nn
from torch.nn import functional as F


class ItemTower(nn.Module):
    def __init__(self, n_items: int, dim: int):
        super().__init__()
        self.emb = nn.Embedding(n_items, dim, padding_idx=0)
        self.mlp = nn.Sequential(nn.Linear(dim, dim * 2), nn.ReLU(), nn.Linear(dim * 2, dim))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        e = self.emb(ids)
        return e + self.mlp(e)


class UserTower(nn.Module):
    """Mean of the clicked items, padded entries left out."""

    def __init__(self, dim: int):
        super().__init__()
        self.proj = nn.Linear(dim, dim)

    def forward(self, history: torch.Tensor, valid: torch.Tensor) -> torch.Tensor:
        w = valid.unsqueeze(-1).to(history.dtype)
        mean = (history * w).sum(1) / w.sum(1).clamp(min=1.0)
        return torch.tanh(self.proj(mean))


class SlateRanker(nn.Module):
    def __init__(self, n_items: int = 50, dim: int = 16, temperature: float = 0.7):
        super().__init__()
        self.items = ItemTower(n_items, dim)
        self.user = UserTower(dim)
        self.temperature = temperature

    def slate_probs(self, user: torch.Tensor, cand: torch.Tensor) -> torch.Tensor:
        # (B, D), (B, C, D) -> (B, C)
        logits = (cand * user.unsqueeze(1)).sum(-1)
        logits = logits / self.temperature
        return F.softmax(logits)

    def forward(self, history_ids, cand_ids, prior: Optional[torch.Tensor] = None):
        user = self.user(self.items(history_ids), history_ids != 0)
        probs = self.slate_probs(user, self.items(cand_ids))
        if prior is not None:
            probs = probs * prior
        return probs


SlateRanker()(torch.randint(0, 50, (3, 6)), torch.randint(1, 50, (3, 5)))

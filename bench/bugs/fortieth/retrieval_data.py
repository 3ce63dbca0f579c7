"""Synthetic clickstream for the retrieval and ranking models."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.utils.data import Dataset

NUMERIC_FEATURES = ("age_days", "orders", "basket_value")


@dataclass(frozen=True)
class CatalogSpec:
    num_items: int = 120
    num_categories: int = 9
    num_tags: int = 30
    max_history: int = 7


class Catalog:
    """Item metadata; row 0 is the padding item."""

    def __init__(self, spec: CatalogSpec, seed: int = 0) -> None:
        g = torch.Generator().manual_seed(seed)
        self.spec = spec
        self.category = torch.randint(1, spec.num_categories + 1, (spec.num_items + 1,), generator=g)
        self.category[0] = 0
        self.price = torch.rand(spec.num_items + 1, generator=g) * 100
        self.tags = [
            torch.randint(0, spec.num_tags, (int(torch.randint(1, 5, (), generator=g)),), generator=g)
            for _ in range(spec.num_items + 1)
        ]

    def tag_bag(self, items: Tensor) -> tuple[Tensor, Tensor]:
        chosen = [self.tags[i] for i in items.tolist()]
        counts = torch.tensor([len(t) for t in chosen])
        offsets = counts.cumsum(0) - counts
        return torch.cat(chosen), offsets


class ClickDataset(Dataset):
    def __init__(self, catalog: Catalog, num_events: int = 24, seed: int = 1) -> None:
        spec = catalog.spec
        g = torch.Generator().manual_seed(seed)
        self.history = torch.zeros(num_events, spec.max_history, dtype=torch.long)
        for row in range(num_events):
            length = int(torch.randint(1, spec.max_history + 1, (), generator=g))
            self.history[row, :length] = torch.randint(1, spec.num_items + 1, (length,), generator=g)
        self.numeric = torch.rand(num_events, len(NUMERIC_FEATURES), generator=g)
        self.target = torch.randint(1, spec.num_items + 1, (num_events,), generator=g)
        self.purchased = (torch.rand(num_events, generator=g) < 0.3).float()

    def __len__(self) -> int:
        return len(self.target)

    def __getitem__(self, index: int) -> dict[str, Tensor]:
        return {
            "history": self.history[index],
            "numeric": self.numeric[index],
            "target": self.target[index],
            "purchased": self.purchased[index],
        }

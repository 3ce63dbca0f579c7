"""Synthetic click log with the schema of the feed-ranking service."""
from dataclasses import dataclass, field
from typing import Dict, List

import numpy as np
import torch
from torch.utils.data import Dataset


@dataclass
class Schema:
    n_items: int = 120
    n_categories: int = 11
    max_history: int = 14
    n_dense: int = 7
    sparse: Dict[str, int] = field(
        default_factory=lambda: {"user": 60, "device": 4, "hour": 24, "city": 15})

    @property
    def sparse_names(self) -> List[str]:
        return list(self.sparse)


class ClickLog(Dataset):
    """One row is one impression. Item id 0 is padding."""

    def __init__(self, schema: Schema, rows: int, seed: int = 0):
        rng = np.random.default_rng(seed)
        self.schema = schema
        self.dense = rng.lognormal(size=(rows, schema.n_dense)).astype(np.float32)
        self.sparse = np.stack(
            [rng.integers(0, size, rows) for size in schema.sparse.values()], axis=1)
        self.category_of = rng.integers(1, schema.n_categories, schema.n_items)
        self.category_of[0] = 0
        self.item = rng.integers(1, schema.n_items, rows)
        self.history = np.zeros((rows, schema.max_history), dtype=np.int64)
        for row in range(rows):
            n = rng.integers(1, schema.max_history + 1)
            self.history[row, :n] = rng.integers(1, schema.n_items, n)
        liked = (self.category_of[self.history] == self.category_of[self.item][:, None]).sum(1)
        p = 1 / (1 + np.exp(1.5 - liked))
        self.clicked = (rng.random(rows) < p).astype(np.float32)

    def __len__(self) -> int:
        return len(self.item)

    def __getitem__(self, i: int) -> Dict[str, torch.Tensor]:
        history = torch.from_numpy(self.history[i])
        return {
            "dense": torch.from_numpy(np.log1p(self.dense[i])),
            "sparse": torch.from_numpy(self.sparse[i]),
            "item": torch.tensor(self.item[i]),
            "item_cat": torch.tensor(self.category_of[self.item[i]]),
            "history": history,
            "history_cat": torch.from_numpy(self.category_of[self.history[i]]),
            "label": torch.tensor(self.clicked[i]),
        }

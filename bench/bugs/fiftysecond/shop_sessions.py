"""Sessions of a shop: what was looked at, and what was bought in the end."""
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor


@dataclass
class ShopConfig:
    items: int = 150
    genres: int = 11
    dim: int = 32
    heads: int = 4
    layers: int = 2
    longest: int = 14
    negatives: int = 20
    batch: int = 24
    epochs: int = 2
    lr: float = 2e-3


class Batch(NamedTuple):
    past: Tensor  # 0 where there is nothing yet
    target: Tensor
    negatives: Tensor


def make_sessions(cfg: ShopConfig, count: int, seed: int) -> list[np.ndarray]:
    """Walks over items in which neighbours are likely to follow each other."""
    rng = np.random.default_rng(seed)
    sessions = []
    for _ in range(count):
        steps = rng.integers(-2, 4, size=rng.integers(4, 26))
        sessions.append((rng.integers(cfg.items) + np.cumsum(steps)) % cfg.items + 1)
    return sessions


def collate(cfg: ShopConfig, sessions: list[np.ndarray]) -> Batch:
    past = torch.zeros(len(sessions), cfg.longest, dtype=torch.long)
    for row, session in enumerate(sessions):
        seen = session[:-1][-cfg.longest :]
        past[row, -len(seen) :] = torch.from_numpy(seen)
    target = torch.tensor([int(session[-1]) for session in sessions])
    negatives = torch.randint(1, cfg.items + 1, (len(sessions), cfg.negatives))
    return Batch(past, target, negatives)

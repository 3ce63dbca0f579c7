"""Random mixes of a plucked string, a drum and a hiss, and their collation."""
import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import Dataset

RATE = 4000
STEMS = ("string", "drum", "hiss")


def pluck(rng, t):
    pitch = rng.uniform(110.0, 440.0)
    tone = sum(np.sin(2 * np.pi * pitch * k * t) / k for k in (1, 2, 3))
    return tone * np.exp(-3.0 * t)


def drum(rng, t):
    since = np.clip(t - rng.uniform(0.0, 0.1), 0.0, None)
    return np.exp(-30.0 * since) * np.sin(2 * np.pi * 70.0 * since)


class Mixes(Dataset):
    """Clips of different lengths; number `i` is the same each time."""

    def __init__(self, count, seed=0):
        self.count, self.seed = count, seed

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        rng = np.random.default_rng(self.seed + i)
        t = np.arange(int(rng.uniform(0.25, 0.4) * RATE)) / RATE
        stems = np.stack([pluck(rng, t), drum(rng, t), 0.1 * rng.standard_normal(t.shape)])
        return {"stems": torch.from_numpy(stems.astype(np.float32))}


def collate(items):
    lengths = torch.tensor([item["stems"].shape[-1] for item in items])
    longest = int(lengths.max())
    padded = [F.pad(item["stems"], (0, longest - item["stems"].shape[-1])) for item in items]
    stems = torch.stack(padded)
    return {"stems": stems, "mix": stems.sum(dim=1), "lengths": lengths}

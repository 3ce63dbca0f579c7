"""Synthetic piano rolls as streams of (pitch, duration, velocity) events."""
import torch
from torch.utils.data import Dataset

N_PITCH, N_DUR, N_VEL = 48, 8, 6
SCALE = torch.tensor([0, 2, 4, 5, 7, 9, 11])


def random_melody(length: int, generator: torch.Generator) -> torch.Tensor:
    """[length, 3] events that walk up and down a scale."""
    steps = torch.randint(-2, 3, (length,), generator=generator).cumsum(0)
    degree = (steps + 12) % 28
    pitch = SCALE[degree % 7] + 12 * (degree // 7)
    dur = torch.randint(0, N_DUR, (length,), generator=generator)
    vel = torch.randint(0, N_VEL, (length,), generator=generator)
    return torch.stack([pitch, dur, vel], dim=-1)


def beat_of(events: torch.Tensor) -> torch.Tensor:
    """Position in the bar (in 16ths) at which each event starts."""
    onset = events[:, 1].cumsum(0) - events[:, 1]
    return onset % 16


class Melodies(Dataset):
    def __init__(self, n: int, length: int, seed: int = 0):
        g = torch.Generator().manual_seed(seed)
        self.events = torch.stack([random_melody(length + 1, g) for _ in range(n)])
        self.transpose = torch.randint(-3, 4, (n,), generator=g)

    def __len__(self):
        return len(self.events)

    def __getitem__(self, i):
        events = self.events[i].clone()
        events[:, 0] = (events[:, 0] + self.transpose[i]).clamp(0, N_PITCH - 1)
        return events, beat_of(events)

import torch
from torch import nn


class MemorySlots(nn.Module):
    """A small memory that each step of the sequence reads from.

    x: (batch, steps, dim) -> (batch, steps, dim)
    """

    def __init__(self, n_slots: int, dim: int):
        super().__init__()
        self.register_buffer("init", torch.randn(n_slots, dim))
        self.write = nn.Linear(dim, dim)
        self.read = nn.Linear(dim, n_slots)

    def forward(self, x):
        n, steps, _ = x.shape
        mem = self.init.unsqueeze(0).repeat(n, 1, 1)

        # first slot holds the summary of the input
        mem[:, 0] = self.write(x.mean(1))
        w = torch.softmax(self.read(x), dim=-1)
        return torch.bmm(w, mem)


MemorySlots(4, 8)(torch.randn(3, 6, 8))

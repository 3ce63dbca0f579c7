"""Slots that compete for the marbles in a picture."""
import torch
from torch import nn


class Slots(nn.Module):
    def __init__(self, dim, slots, rounds=3):
        super().__init__()
        self.rounds = rounds
        self.scale = dim ** -0.5
        self.start = nn.Parameter(torch.randn(slots, dim))
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_kv = nn.Linear(dim, 2 * dim, bias=False)
        self.norm_slots = nn.LayerNorm(dim)
        self.norm_pixels = nn.LayerNorm(dim)
        self.update = nn.GRUCell(dim, dim)

    def forward(self, pixels):
        b, _, d = pixels.shape
        k, v = self.to_kv(self.norm_pixels(pixels)).chunk(2, dim=-1)
        slots = self.start.expand(b, -1, -1)
        for _ in range(self.rounds):
            q = self.to_q(self.norm_slots(slots))
            logits = torch.bmm(q, k.transpose(1, 2)) * self.scale
            share = torch.softmax(logits, dim=1)
            share = share / (share.sum(dim=-1, keepdim=True) + 1e-8)
            read = torch.bmm(share, v)
            slots = self.update(read.reshape(-1, d), slots.reshape(-1, d)).reshape(b, -1, d)
        return slots


if __name__ == "__main__":
    torch.manual_seed(0)
    slots = Slots(16, 4)
    print(slots(torch.randn(2, 30, 16)).shape)

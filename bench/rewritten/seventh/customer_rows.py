"""Transformer over the columns of a customer table: each column is a token."""
import torch
from einops import rearrange
from torch import nn


class ColumnMixer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.scale = (width // heads) ** -0.5
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.soft = nn.Softmax(dim=-1)
        self.out = nn.Linear(width, width)

    def forward(self, cols):
        q, k, v = rearrange(self.qkv(cols), "b n (three h d) -> three b h n d", three=3, h=self.heads)
        affinity = torch.matmul(q, k.transpose(2, 3))
        affinity = affinity * self.scale
        weights = self.soft(affinity)
        mixed = torch.matmul(weights, v)
        return self.out(rearrange(mixed, "b h n d -> b n (h d)"))


class ChurnModel(nn.Module):
    def __init__(self, columns, width=16, heads=2, depth=2):
        super().__init__()
        self.scale = nn.Parameter(torch.randn(columns, width))
        self.shift = nn.Parameter(torch.zeros(columns, width))
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(depth)])
        self.mixers = nn.ModuleList([ColumnMixer(width, heads) for _ in range(depth)])
        self.head = nn.Linear(width, 1)

    def forward(self, table):
        h = table.unsqueeze(-1) * self.scale + self.shift
        for norm, mixer in zip(self.norms, self.mixers):
            h = h + mixer(norm(h))
        return self.head(h.mean(dim=1)).squeeze(-1)


if __name__ == "__main__":
    torch.manual_seed(0)
    print(ChurnModel(9)(torch.randn(5, 9)))

import torch
import torch.nn as nn


class BagOfIds(nn.Module):
    """Sum of the rows of all the ids in the document."""

    def __init__(self, vocab, dim):
        super().__init__()
        self.table = nn.Parameter(torch.randn(vocab, dim) * 0.1)
        self.norm = nn.LayerNorm(dim)

    def forward(self, words):
        total = self.table[words].sum(0)
        return self.norm(total)


class DocPair(nn.Module):
    def __init__(self, vocab=12, dim=8):
        super().__init__()
        self.bag = BagOfIds(vocab, dim)
        self.bilinear = nn.Bilinear(dim, dim, 1)

    def forward(self, left, right):
        a = self.bag(left)
        b = self.bag(right)
        return self.bilinear(a, b)


DocPair()(torch.randint(0, 12, (12,)), torch.randint(0, 12, (12,)))

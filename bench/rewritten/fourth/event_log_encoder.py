import torch
import torch.nn as nn
import torch.nn.functional as F


class EventEmbedding(nn.Module):
    def __init__(self, kinds: int, dim: int):
        super().__init__()
        self.kind = nn.Embedding(kinds, dim, padding_idx=0)
        self.gap = nn.Linear(1, dim)

    def forward(self, kind, gap):
        return self.kind(kind) + self.gap(gap.unsqueeze(-1))


class Summary(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.gru = nn.GRU(dim, dim, batch_first=True)

    def forward(self, x, lengths):
        longest = lengths.max()
        if longest < x.size(1):
            x = x[:, :longest]
        out, _ = self.gru(x)
        rows = torch.arange(x.size(0), device=x.device)
        return out[rows, lengths - 1]


class ChurnModel(nn.Module):
    """Customers' event logs, padded to the longest in the store."""

    def __init__(self, kinds: int = 12, dim: int = 16):
        super().__init__()
        self.embed = EventEmbedding(kinds, dim)
        self.summary = Summary(dim)
        self.head = nn.Linear(dim, 1)

    def forward(self, kind, gap, lengths):
        s = self.summary(self.embed(kind, gap), lengths)
        return self.head(F.relu(s)).squeeze(-1)


ChurnModel()(torch.randint(1, 12, (3, 10)), torch.rand(3, 10), torch.tensor([4, 7, 2]))

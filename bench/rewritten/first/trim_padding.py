import torch
from torch import nn


class TrimmedPooler(nn.Module):
    def __init__(self, vocab: int, dim: int):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.score = nn.Linear(dim, 1)

    def forward(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        # drop the columns that are padding for everybody
        longest = lengths.max().item()
        ids = ids[:, :longest]

        steps = torch.arange(longest, device=ids.device)
        pad = steps[None, :] >= lengths[:, None]

        h = self.emb(ids)
        a = self.score(h).view(-1, longest)
        a = a.masked_fill(pad, float("-inf")).softmax(dim=1)
        return (a.unsqueeze(-1) * h).sum(1)


TrimmedPooler(30, 8)(torch.randint(0, 30, (3, 12)), torch.tensor([4, 9, 6]))

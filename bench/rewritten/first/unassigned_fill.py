import torch
from torch import nn, Tensor


class SpanEncoder(nn.Module):
    def __init__(self, vocab: int, dim: int):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.mix = nn.Conv1d(dim, dim, kernel_size=3, padding=1)

    def forward(self, ids: Tensor) -> Tensor:
        pad = ids.eq(0)
        h = self.emb(ids)
        h.masked_fill(pad.unsqueeze(-1), 0.0)
        h = self.mix(h.transpose(1, 2)).transpose(1, 2)
        lengths = (~pad).sum(dim=1, keepdim=True)
        return h.sum(dim=1) / lengths


class SpanTagger(nn.Module):
    def __init__(self, vocab: int = 25, dim: int = 12, labels: int = 4):
        super().__init__()
        self.spans = SpanEncoder(vocab, dim)
        self.label = nn.Linear(dim, labels)

    def forward(self, ids: Tensor) -> Tensor:
        return self.label(torch.relu(self.spans(ids)))


SpanTagger()(torch.tensor([[4, 7, 9, 0, 0], [3, 1, 2, 24, 8]]))

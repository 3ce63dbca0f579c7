import torch
from torch import nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, vocab: int, dim: int):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.gru = nn.GRU(dim, dim, batch_first=True)

    def forward(self, src):
        out, last = self.gru(self.emb(src))
        return out, last


class CopyAttention(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.q = nn.Linear(dim, dim, bias=False)
        self.scale = dim ** -0.5

    def forward(self, query, memory):
        scores = torch.bmm(self.q(query), memory.transpose(1, 2)) * self.scale
        weights = F.softmax(scores, dim=-1)
        context = torch.bmm(weights, memory)
        return context, weights


class HeadlineWriter(nn.Module):
    """Pointer-generator over short market news."""

    def __init__(self, vocab: int = 40, dim: int = 16):
        super().__init__()
        self.vocab = vocab
        self.encoder = Encoder(vocab, dim)
        self.decoder = nn.GRU(dim, dim, batch_first=True)
        self.attn = CopyAttention(dim)
        self.switch = nn.Linear(2 * dim, 1)
        self.out = nn.Linear(dim, vocab)

    def forward(self, src, tgt):
        memory, last = self.encoder(src)
        dec, _ = self.decoder(self.encoder.emb(tgt), last)
        context, weights = self.attn(dec, memory)

        gen = torch.sigmoid(self.switch(torch.cat([dec, context], dim=-1)))
        vocab_dist = F.softmax(self.out(dec), dim=-1) * gen
        index = src.unsqueeze(1).expand(-1, tgt.size(1), -1)
        dist = vocab_dist.scatter_add(2, index, weights * (1 - gen))

        coverage = weights.cumsum(dim=1) - weights
        cov_loss = torch.minimum(weights, coverage).sum(-1).mean()
        return dist, cov_loss


HeadlineWriter()(torch.randint(0, 40, (2, 7)), torch.randint(0, 40, (2, 4)))

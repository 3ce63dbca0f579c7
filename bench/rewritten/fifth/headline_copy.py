"""Headline writer with a coverage penalty: what was read already should not be read again."""
import math

import torch
from torch import nn


class CoverageAttention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.ask = nn.Linear(dim, dim)
        self.offer = nn.Linear(dim, dim)
        self.dim = dim

    def forward(self, decoder, encoder, pad):
        q, k = self.ask(decoder), self.offer(encoder)
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.dim)
        scores = scores.masked_fill(pad[:, None, :], float("-inf"))
        attn = scores.softmax(dim=-1)
        context = torch.bmm(attn, encoder)
        # see et al.: overlap of each step with the sum of those before it
        seen = attn.cumsum(dim=1) - attn
        penalty = torch.minimum(attn, seen).sum(-1).mean()
        return context, penalty


class Headline(nn.Module):
    def __init__(self, vocab=60, dim=16):
        super().__init__()
        self.words = nn.Embedding(vocab, dim, padding_idx=0)
        self.reader = nn.GRU(dim, dim, batch_first=True)
        self.writer = nn.GRU(dim, dim, batch_first=True)
        self.attend = CoverageAttention(dim)
        self.out = nn.Linear(2 * dim, vocab)

    def forward(self, article, headline):
        enc, last = self.reader(self.words(article))
        dec, _ = self.writer(self.words(headline), last)
        context, penalty = self.attend(dec, enc, article == 0)
        return self.out(torch.cat([dec, context], dim=-1)), penalty


if __name__ == "__main__":
    torch.manual_seed(31)
    article = torch.randint(1, 60, (2, 18))
    article[1, 12:] = 0
    logits, penalty = Headline()(article, torch.randint(1, 60, (2, 6)))
    (logits.logsumexp(-1).mean() + penalty).backward()
    print(logits.shape, penalty)

import torch
import torch.nn as nn
import torch.nn.functional as F


class Embeddings(nn.Module):
    def __init__(self, vocab, max_len, dim):
        super().__init__()
        self.words = nn.Embedding(vocab, dim)
        self.positions = nn.Embedding(max_len, dim)
        self.segments = nn.Embedding(2, dim)
        self.norm = nn.LayerNorm(dim)

    def _positions(self, ids):
        n = ids.size(1)
        pos = torch.arange(n)
        return self.positions(pos).unsqueeze(0)

    def forward(self, ids, segment):
        x = self.words(ids) + self.segments(segment)
        x = x + self._positions(ids)
        return self.norm(x)


class Layer(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.ln1 = nn.LayerNorm(dim)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
        self.ln2 = nn.LayerNorm(dim)

    def forward(self, x):
        y, _ = self.attn(x, x, x, need_weights=False)
        x = self.ln1(x + y)
        return self.ln2(x + self.ff(x))


class FilingTagger(nn.Module):
    """Tags the words of a quarterly filing."""

    def __init__(self, vocab=70, max_len=32, dim=16, heads=2, tags=6):
        super().__init__()
        self.emb = Embeddings(vocab, max_len, dim)
        self.layers = nn.ModuleList([Layer(dim, heads), Layer(dim, heads)])
        self.tags = nn.Linear(dim, tags)

    def forward(self, ids, segment):
        x = self.emb(ids, segment)
        for layer in self.layers:
            x = layer(x)
        return F.log_softmax(self.tags(x), dim=-1)


FilingTagger()(torch.randint(0, 70, (2, 9)), torch.randint(0, 2, (2, 9)))

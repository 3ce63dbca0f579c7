import math
import torch
import torch.nn as nn
from collections import Counter


class Vocab:
    def __init__(self, texts):
        c = Counter(w for t in texts for w in t.split())
        self.itos = ["<pad>", "<unk>"] + [w for w, _ in c.most_common()]
        self.stoi = {w: i for i, w in enumerate(self.itos)}

    def encode(self, t):
        return [self.stoi.get(w, 1) for w in t.split()]


class LM(nn.Module):
    def __init__(self, vocab, dim=64, heads=4, layers=2, max_len=128):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.pos = nn.Parameter(torch.zeros(1, max_len, dim))
        self.layers = nn.ModuleList([nn.TransformerEncoderLayer(dim, heads, dim * 4, batch_first=True) for _ in range(layers)])
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids):
        t = ids.size(1)
        h = self.emb(ids) * math.sqrt(self.emb.embedding_dim) + self.pos[:, :t]
        mask = nn.Transformer.generate_square_subsequent_mask(t)
        for layer in self.layers:
            h = layer(h, src_mask=mask, is_causal=True)
        return self.out(h)


@torch.no_grad()
def generate(model, ids, n):
    for _ in range(n):
        logits = model(ids)[:, -1]
        probs = logits.softmax(-1)
        nxt = torch.multinomial(probs, 1)
        ids = torch.cat([ids, nxt], 1)
    return ids


texts = open("corpus.txt").read().split("\n")
vocab = Vocab(texts)
model = LM(len(vocab.itos))
ids = torch.tensor([vocab.encode(t)[:16] for t in texts])
logits = model(ids[:, :-1])
loss = nn.functional.cross_entropy(logits.transpose(1, 2), ids[:, 1:])
out = generate(model, ids[:1], 5)

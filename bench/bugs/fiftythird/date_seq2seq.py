"""A transformer that rewrites dates: python date_seq2seq.py --steps 40"""
import argparse
import math
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

from date_words import BOS, PAD, SIZE, read, sample_batch


class Attention(nn.Module):
    def __init__(self, dim, heads, p):
        super().__init__()
        self.heads, self.p = heads, p
        self.to_q = nn.Linear(dim, dim)
        self.to_kv = nn.Linear(dim, 2 * dim)
        self.join = nn.Linear(dim, dim)

    def apart(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x, memory, see):
        q = self.apart(self.to_q(x))
        k, v = (self.apart(y) for y in self.to_kv(memory).chunk(2, dim=-1))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        scores = scores.masked_fill(~see, float("-inf"))
        weights = F.dropout(scores.softmax(dim=-1), self.p, training=self.training)
        mixed = (weights @ v).transpose(1, 2)
        return self.join(mixed.reshape(x.size(0), x.size(1), -1))


class Layer(nn.Module):
    def __init__(self, dim, heads, p, cross):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(dim) for _ in range(3 if cross else 2)])
        self.own = Attention(dim, heads, p)
        self.cross = Attention(dim, heads, p) if cross else None
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.ReLU(), nn.Linear(2 * dim, dim))

    def forward(self, x, see, memory=None, see_memory=None):
        h = self.norms[0](x)
        x = x + self.own(h, h, see)
        if self.cross is not None:
            x = x + self.cross(self.norms[1](x), memory, see_memory)
        return x + self.mlp(self.norms[-1](x))


class Translator(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.words = nn.Embedding(SIZE, args.dim, padding_idx=PAD)
        self.places = nn.Embedding(args.max_len, args.dim)
        self.encoder = nn.ModuleList(Layer(args.dim, args.heads, args.dropout, False) for _ in range(args.layers))
        self.decoder = nn.ModuleList(Layer(args.dim, args.heads, args.dropout, True) for _ in range(args.layers))
        self.head = nn.Linear(args.dim, SIZE)

    def embed(self, ids):
        places = torch.arange(ids.size(1), device=ids.device)
        return self.words(ids) + self.places(places)

    def encode(self, src):
        see = (src != PAD)[:, None, None, :]
        x = self.embed(src)
        for layer in self.encoder:
            x = layer(x, see)
        return x, see

    def decode(self, tgt, memory, see_memory):
        n = tgt.size(1)
        past = torch.ones(n, n, dtype=torch.bool, device=tgt.device).tril()
        x = self.embed(tgt)
        for layer in self.decoder:
            x = layer(x, past, memory, see_memory)
        return self.head(x)

    def forward(self, src, tgt):
        return self.decode(tgt, *self.encode(src))


@torch.no_grad()
def translate(model, src, length):
    model.eval()
    memory, see = model.encode(src)
    out = torch.full((src.size(0), 1), BOS)
    for _ in range(length):
        logits = model.decode(out, memory, see)[:, -1]
        best = logits.argmax(dim=-1, keepdim=True)
        out = torch.cat([out, best], dim=1)
    return out[:, 1:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dim", type=int, default=32)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--max-len", type=int, default=24)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--steps", type=int, default=30)
    args = parser.parse_args()

    torch.manual_seed(0)
    rng = random.Random(0)
    model = Translator(args)
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step in range(args.steps):
        src, tgt = sample_batch(rng, args.batch)
        logits = model(src, tgt[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), tgt[:, 1:].flatten(), ignore_index=PAD)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 10 == 0:
            print(step, round(loss.item(), 3))

    src, _ = sample_batch(rng, 3)
    for given, made in zip(src.tolist(), translate(model, src, 11).tolist()):
        print(read(given), "->", read(made))


if __name__ == "__main__":
    main()

"""An encoder-decoder out of nn.MultiheadAttention."""

import math
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Hparams:
    src_vocab: int = 1200
    tgt_vocab: int = 900
    d_model: int = 160
    heads: int = 5
    d_ff: int = 320
    n_layers: int = 2
    max_len: int = 64
    pad: int = 0


class Positional(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        pos = torch.arange(max_len).unsqueeze(1)
        div = torch.exp(torch.arange(0, d_model, 2) * (-math.log(1e4) / d_model))
        pe = torch.zeros(max_len, d_model)
        pe[:, 0::2] = torch.sin(pos * div)
        pe[:, 1::2] = torch.cos(pos * div)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[: x.size(1)]


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.lin1 = nn.Linear(d_model, d_ff)
        self.lin2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.lin2(torch.relu(self.lin1(x)))


class EncoderLayer(nn.Module):
    def __init__(self, hp):
        super().__init__()
        self.attn = nn.MultiheadAttention(hp.d_model, hp.heads, batch_first=True)
        self.ff = FeedForward(hp.d_model, hp.d_ff)
        self.norms = nn.ModuleList([nn.LayerNorm(hp.d_model) for _ in range(2)])

    def forward(self, x, padding):
        y, _ = self.attn(x, x, x, key_padding_mask=padding)
        x = self.norms[0](x + y)
        return self.norms[1](x + self.ff(x))


class DecoderLayer(nn.Module):
    def __init__(self, hp):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hp.d_model, hp.heads, batch_first=True)
        self.cross_attn = nn.MultiheadAttention(hp.d_model, hp.heads, batch_first=True)
        self.ff = FeedForward(hp.d_model, hp.d_ff)
        self.norm1 = nn.LayerNorm(hp.d_model)
        self.norm2 = nn.LayerNorm(hp.d_model)
        self.norm3 = nn.LayerNorm(hp.d_model)

    def forward(self, x, memory, causal, memory_padding):
        y, _ = self.self_attn(x, x, x, attn_mask=causal)
        x = self.norm1(x + y)
        y, _ = self.cross_attn(x, memory, memory, key_padding_mask=memory_padding)
        x = self.norm2(x + y)
        return self.norm3(x + self.ff(x))


class Translator(nn.Module):
    def __init__(self, hp):
        super().__init__()
        self.hp = hp
        self.src_embed = nn.Embedding(hp.src_vocab, hp.d_model, padding_idx=hp.pad)
        self.tgt_embed = nn.Embedding(hp.tgt_vocab, hp.d_model, padding_idx=hp.pad)
        self.positions = Positional(hp.d_model, hp.max_len)
        self.encoder = nn.ModuleList([EncoderLayer(hp) for _ in range(hp.n_layers)])
        self.decoder = nn.ModuleList([DecoderLayer(hp) for _ in range(hp.n_layers)])
        self.generator = nn.Linear(hp.d_model, hp.tgt_vocab)

    def encode(self, src):
        padding = src == self.hp.pad
        x = self.positions(self.src_embed(src) * math.sqrt(self.hp.d_model))
        for layer in self.encoder:
            x = layer(x, padding)
        return x, padding

    def decode(self, tgt, memory, padding):
        n = tgt.size(1)
        causal = torch.ones(n, n, dtype=torch.bool).triu(1)
        x = self.positions(self.tgt_embed(tgt) * math.sqrt(self.hp.d_model))
        for layer in self.decoder:
            x = layer(x, memory, causal, padding)
        return self.generator(x)

    def forward(self, src, tgt):
        memory, padding = self.encode(src)
        return self.decode(tgt, memory, padding)


class LabelSmoothing(nn.Module):
    def __init__(self, classes, smoothing=0.1):
        super().__init__()
        self.classes, self.smoothing = classes, smoothing

    def forward(self, logits, target):
        logp = logits.log_softmax(dim=-1)
        with torch.no_grad():
            soft = torch.full_like(logp, self.smoothing / (self.classes - 1))
            soft.scatter_(1, target.unsqueeze(1), 1 - self.smoothing)
        return -(soft * logp).sum(dim=-1).mean()


def run():
    hp = Hparams()
    model = Translator(hp)
    criterion = LabelSmoothing(hp.tgt_vocab)
    src = torch.randint(1, hp.src_vocab, (3, 17))
    tgt = torch.randint(1, hp.tgt_vocab, (3, 12))
    logits = model(src, tgt[:, :-1])
    loss = criterion(logits.reshape(-1, hp.tgt_vocab), tgt[:, 1:].reshape(-1))
    loss.backward()
    return loss


if __name__ == "__main__":
    print(run())

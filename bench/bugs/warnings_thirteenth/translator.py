"""An encoder and a decoder for translation, on torch's own layers; label smoothing, greedy decoding."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

PAD, BOS, EOS = 0, 1, 2


class Positional(nn.Module):
    def __init__(self, dim: int, max_len: int = 128, dropout: float = 0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        pe = torch.zeros(max_len, dim)
        position = torch.arange(max_len).unsqueeze(1)
        rate = torch.exp(torch.arange(0, dim, 2) * (-math.log(1e4) / dim))
        pe[:, 0::2] = torch.sin(position * rate)
        pe[:, 1::2] = torch.cos(position * rate)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return self.dropout(x + self.pe[: x.size(1)])


class Translator(nn.Module):
    def __init__(self, src_vocab=200, tgt_vocab=180, dim=32, heads=4, layers=2):
        super().__init__()
        self.src_emb = nn.Embedding(src_vocab, dim, padding_idx=PAD)
        self.tgt_emb = nn.Embedding(tgt_vocab, dim, padding_idx=PAD)
        self.position = Positional(dim)
        enc = nn.TransformerEncoderLayer(dim, heads, 64, batch_first=True)
        dec = nn.TransformerDecoderLayer(dim, heads, 64, batch_first=True)
        self.encoder = nn.TransformerEncoder(enc, layers, enable_nested_tensor=False)
        self.decoder = nn.TransformerDecoder(dec, layers)
        self.generator = nn.Linear(dim, tgt_vocab)
        self.copy_gate = nn.Linear(dim, 1)
        self.scale = math.sqrt(dim)

    def future(self, n, device):
        return torch.triu(torch.ones(n, n, device=device, dtype=torch.bool), 1)

    def encode(self, src):
        src_pad = src == PAD
        x = self.position(self.src_emb(src) * self.scale)
        return self.encoder(x, src_key_padding_mask=src_pad), src_pad

    def decode(self, tgt, memory, src_pad):
        y = self.position(self.tgt_emb(tgt) * self.scale)
        mask = self.future(tgt.size(1), tgt.device)
        y = self.decoder(y, memory, tgt_mask=mask, memory_key_padding_mask=src_pad, tgt_key_padding_mask=tgt == PAD)
        return y

    def forward(self, src, tgt):
        memory, src_pad = self.encode(src)
        y = self.decode(tgt, memory, src_pad)
        logits = self.generator(y)
        gate = torch.sigmoid(self.copy_gate(y))
        scores = y @ memory.transpose(1, 2) / self.scale
        scores = scores.masked_fill(src_pad.unsqueeze(1), float("-inf"))
        copy = F.softmax(scores, dim=-1)
        vocab = F.softmax(logits, dim=-1) * gate
        index = src.clamp(max=logits.size(-1) - 1).unsqueeze(1).expand_as(copy)
        return vocab.scatter_add(2, index, copy * (1 - gate))

    @torch.no_grad()
    def greedy(self, src, steps=8):
        memory, src_pad = self.encode(src)
        out = torch.full((src.size(0), 1), BOS, device=src.device)
        for _ in range(steps):
            y = self.decode(out, memory, src_pad)
            out = torch.cat([out, self.generator(y[:, -1]).argmax(-1, keepdim=True)], dim=1)
        return out


class SmoothedLoss(nn.Module):
    def __init__(self, smoothing=0.1):
        super().__init__()
        self.smoothing = smoothing

    def forward(self, probs, target):
        logp = torch.log(probs + 1e-9)
        nll = F.nll_loss(logp.flatten(0, 1), target.flatten(), ignore_index=PAD)
        return (1 - self.smoothing) * nll - self.smoothing * logp.mean()


def train_step(model, loss_fn, optimizer, src, tgt):
    model.train()
    probs = model(src, tgt[:, :-1])
    loss = loss_fn(probs, tgt[:, 1:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


if __name__ == "__main__":
    model = Translator()
    opt = torch.optim.Adam(model.parameters())
    src, tgt = torch.randint(3, 200, (4, 11)), torch.randint(3, 180, (4, 9))
    print(train_step(model, SmoothedLoss(), opt, src, tgt))
    model.eval()
    print(model(src, tgt).shape, model.greedy(src).shape)

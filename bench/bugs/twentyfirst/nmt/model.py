"""Encoder and decoder with tied embeddings."""

from dataclasses import dataclass

import torch
import torch.nn as nn

from nmt.layers import Attention, FeedForward, PositionalEncoding


@dataclass
class Config:
    src_vocab: int = 40
    tgt_vocab: int = 48
    d_model: int = 64
    heads: int = 4
    d_head: int = 16
    layers: int = 2
    pad: int = 0


class EncoderLayer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.attn = Attention(cfg.d_model, cfg.heads, cfg.d_head)
        self.ff = FeedForward(cfg.d_model)
        self.norm1 = nn.LayerNorm(cfg.d_model)
        self.norm2 = nn.LayerNorm(cfg.d_model)

    def forward(self, x, mask):
        x = x + self.attn(self.norm1(x), mask=mask)
        return x + self.ff(self.norm2(x))


class DecoderLayer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.self_attn = Attention(cfg.d_model, cfg.heads, cfg.d_head)
        self.cross_attn = Attention(cfg.d_model, cfg.heads, cfg.d_head)
        self.ff = FeedForward(cfg.d_model)
        self.norms = nn.ModuleList([nn.LayerNorm(cfg.d_model) for _ in range(3)])

    def forward(self, x, memory, self_mask, memory_mask):
        x = x + self.self_attn(self.norms[0](x), mask=self_mask)
        x = x + self.cross_attn(self.norms[1](x), memory, memory_mask)
        return x + self.ff(self.norms[2](x))


class Transformer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.src_embed = nn.Embedding(cfg.src_vocab, cfg.d_model)
        self.tgt_embed = nn.Embedding(cfg.tgt_vocab, cfg.d_model)
        self.pos = PositionalEncoding(cfg.d_model)
        self.encoder = nn.ModuleList([EncoderLayer(cfg) for _ in range(cfg.layers)])
        self.decoder = nn.ModuleList([DecoderLayer(cfg) for _ in range(cfg.layers)])
        self.out = nn.Linear(cfg.d_model, cfg.tgt_vocab, bias=False)
        self.out.weight = self.tgt_embed.weight

    def encode(self, src):
        mask = (src != self.cfg.pad)[:, None, None, :]
        x = self.pos(self.src_embed(src))
        for layer in self.encoder:
            x = layer(x, mask)
        return x, mask

    def decode(self, tgt, memory, memory_mask):
        n = tgt.size(1)
        causal = torch.ones(n, n, dtype=torch.bool, device=tgt.device).tril()
        mask = (tgt != self.cfg.pad)[:, None, None, :] & causal
        x = self.pos(self.tgt_embed(tgt))
        for layer in self.decoder:
            x = layer(x, memory, mask, memory_mask)
        return self.out(x)

    def forward(self, src, tgt):
        memory, memory_mask = self.encode(src)
        return self.decode(tgt, memory, memory_mask)

    @torch.no_grad()
    def greedy(self, src, bos=1, steps=6):
        memory, memory_mask = self.encode(src)
        tgt = torch.full((src.size(0), 1), bos, dtype=torch.long)
        for _ in range(steps):
            logits = self.decode(tgt, memory, memory_mask)
            tgt = torch.cat([tgt, logits[:, -1].argmax(dim=-1, keepdim=True)], dim=1)
        return tgt

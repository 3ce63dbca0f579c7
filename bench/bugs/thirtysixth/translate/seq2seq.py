import math

import torch
import torch.nn as nn

from layers import MultiHeadAttention, PositionalEncoding, feed_forward, padding_mask, target_mask

class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.ff = feed_forward(d_model, d_ff)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x, src_mask):
        h = self.norm1(x)
        x = x + self.self_attn(h, h, h, src_mask)
        return x + self.ff(self.norm2(x))

class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.ff = feed_forward(d_model, d_ff)
        self.norms = nn.ModuleList([nn.LayerNorm(d_model) for _ in range(3)])

    def forward(self, x, memory, src_mask, tgt_mask):
        h = self.norms[0](x)
        x = x + self.self_attn(h, h, h, tgt_mask)
        x = x + self.cross_attn(self.norms[1](x), memory, memory, src_mask)
        return x + self.ff(self.norms[2](x))

class Translator(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model=32, n_heads=4, d_ff=64, n_layers=2, pad_id=0):
        super().__init__()
        self.d_model, self.pad_id = d_model, pad_id
        self.src_embed = nn.Embedding(src_vocab, d_model, padding_idx=pad_id)
        self.tgt_embed = nn.Embedding(tgt_vocab, d_model, padding_idx=pad_id)
        self.pos = PositionalEncoding(d_model)
        self.encoder = nn.ModuleList([EncoderLayer(d_model, n_heads, d_ff) for _ in range(n_layers)])
        self.decoder = nn.ModuleList([DecoderLayer(d_model, n_heads, d_ff) for _ in range(n_layers)])
        self.norm = nn.LayerNorm(d_model)
        self.generator = nn.Linear(d_model, tgt_vocab)

    def encode(self, src):
        mask = padding_mask(src, self.pad_id)
        x = self.pos(self.src_embed(src) * math.sqrt(self.d_model))
        for layer in self.encoder:
            x = layer(x, mask)
        return x, mask

    def decode(self, tgt, memory, src_mask):
        x = self.pos(self.tgt_embed(tgt) * math.sqrt(self.d_model))
        mask = target_mask(tgt, self.pad_id)
        for layer in self.decoder:
            x = layer(x, memory, src_mask, mask)
        return self.generator(self.norm(x))

    def forward(self, src, tgt):
        enc, mask = self.encode(src)
        return self.decode(tgt, enc, mask)

@torch.no_grad()
def beam_search(model, src, bos, eos, beam=3, max_len=12):
    """src [1, S] -> the best list of ids"""
    memory, src_mask = model.encode(src)
    memory = memory.expand(beam, -1, -1)
    src_mask = src_mask.expand(beam, -1, -1, -1)
    seqs = torch.full((beam, 1), bos)
    scores = torch.full((beam,), float("-inf"))
    scores[0] = 0.0
    done = torch.zeros(beam, dtype=torch.bool)
    for _ in range(max_len):
        logp = model.decode(seqs, memory, src_mask)[:, -1].log_softmax(dim=-1)
        vocab = logp.size(-1)
        # finished beams may only go on with <eos>, for free
        logp[done] = float("-inf")
        logp[done, eos] = 0.0
        scores, flat = (scores.unsqueeze(1) + logp).view(-1).topk(beam)
        parent = flat // vocab
        token = flat % vocab
        seqs = torch.cat([seqs[parent], token.unsqueeze(1)], dim=1)
        done = done[parent] | (token == eos)
        if done.all():
            break
    return seqs[scores.argmax()].tolist()

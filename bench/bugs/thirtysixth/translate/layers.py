import math

import torch, torch.nn as nn, torch.nn.functional as F

def padding_mask(ids, pad_id):
    """True where a token may be attended to. [B, S] -> [B, 1, 1, S]"""
    return (ids != pad_id).unsqueeze(1).unsqueeze(2)

def causal_mask(size):
    """[1, 1, T, T], True on and below the diagonal"""
    return torch.tril(torch.ones(size, size, dtype=torch.bool))[None, None]

def target_mask(ids, pad_id):
    return padding_mask(ids, pad_id) & causal_mask(ids.size(1))

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        assert d_model % n_heads == 0
        self.n_heads = n_heads
        self.d_k = d_model // n_heads
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_o = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        batch, length, _ = x.size()
        return x.view(batch, length, self.n_heads, self.d_k).transpose(1, 2)

    def merge(self, x):
        batch, _, length, _ = x.size()
        return x.transpose(1, 2).contiguous().view(batch, length, self.n_heads * self.d_k)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.split(self.w_q(query)), self.split(self.w_k(key)), self.split(self.w_v(value))
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        weights = self.drop(F.softmax(scores, dim=-1))
        return self.w_o(self.merge(torch.matmul(weights, v)))

def feed_forward(d_model, d_ff, dropout=0.1):
    return nn.Sequential(
        nn.Linear(d_model, d_ff), nn.ReLU(), nn.Dropout(dropout), nn.Linear(d_ff, d_model))

class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=64):
        super().__init__()
        pos = torch.arange(max_len).unsqueeze(1).float()
        div = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, d_model)
        pe[:, 0::2] = torch.sin(pos * div)
        pe[:, 1::2] = torch.cos(pos * div)
        self.register_buffer("pe", pe.unsqueeze(0))

    def forward(self, x):
        return x + self.pe[:, :x.size(1)]

class LabelSmoothing(nn.Module):
    def __init__(self, vocab, pad_id, smoothing=0.1):
        super().__init__()
        self.vocab, self.pad_id, self.smoothing = vocab, pad_id, smoothing

    def forward(self, logits, target):
        logp = F.log_softmax(logits, dim=-1)
        with torch.no_grad():
            dist = torch.full_like(logp, self.smoothing / (self.vocab - 2))
            dist.scatter_(1, target.unsqueeze(1), 1 - self.smoothing)
            dist[:, self.pad_id] = 0
            dist[target == self.pad_id] = 0
        n_tokens = (target != self.pad_id).sum()
        return F.kl_div(logp, dist, reduction="sum") / n_tokens

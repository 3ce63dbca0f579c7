"""Decoder-only LM: RoPE, grouped-query attention, KV cache, top-k MoE feed-forward."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Config:
    vocab = 96
    dim = 64
    depth = 2
    n_heads = 8
    n_kv_heads = 2
    ffn_dim = 96
    n_experts = 4
    top_k = 2
    max_len = 48
    head_dim = dim // n_heads


def rope_table(head_dim: int, max_len: int, theta: float = 10000.0):
    inv_freq = 1.0 / theta ** (torch.arange(0, head_dim, 2).float() / head_dim)
    angles = torch.outer(torch.arange(max_len).float(), inv_freq)  # [L, D/2]
    return angles.cos(), angles.sin()


def apply_rope(x, cos, sin):
    # x: [B, H, T, D], cos and sin: [T, D/2]
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat([x1 * cos - x2 * sin, x2 * cos + x1 * sin], dim=-1)


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(dim)), eps

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class KVCache:
    def __init__(self, cfg: Config, batch: int):
        shape = (batch, cfg.n_kv_heads, cfg.max_len, cfg.head_dim)
        self.k = torch.zeros(shape)
        self.v = torch.zeros(shape)
        self.length = 0

    def update(self, k, v):
        end = self.length + k.size(2)
        self.k[:, :, self.length:end] = k
        self.v[:, :, self.length:end] = v
        self.length = end
        return self.k[:, :, :end], self.v[:, :, :end]


class Attention(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.h, self.kv, self.d = cfg.n_heads, cfg.n_kv_heads, cfg.head_dim
        self.wq = nn.Linear(cfg.dim, self.h * self.d, bias=False)
        self.wkv = nn.Linear(cfg.dim, 2 * self.kv * self.d, bias=False)
        self.wo = nn.Linear(self.h * self.d, cfg.dim, bias=False)

    def forward(self, x, cos, sin, cache: KVCache | None = None):
        b, t, _ = x.shape
        q = self.wq(x).view(b, t, self.h, self.d).transpose(1, 2)
        k, v = self.wkv(x).view(b, t, 2, self.kv, self.d).permute(2, 0, 3, 1, 4)
        q, k = apply_rope(q, cos, sin), apply_rope(k, cos, sin)
        if cache is not None:
            k, v = cache.update(k, v)
        q = q.view(b, self.kv, self.h // self.kv, t, self.d)
        scores = torch.einsum("bgrqd,bgkd->bgrqk", q, k) / math.sqrt(self.d)
        past = k.size(2) - t
        causal = torch.ones(t, k.size(2), dtype=torch.bool).tril(past)
        scores = scores.masked_fill(~causal, float("-inf"))
        out = torch.einsum("bgrqk,bgkd->bgrqd", scores.softmax(-1), v)
        out = out.reshape(b, self.h, t, self.d).transpose(1, 2).reshape(b, t, -1)
        return self.wo(out)


class Expert(nn.Module):
    def __init__(self, dim: int, hidden: int):
        super().__init__()
        self.up = nn.Linear(dim, 2 * hidden, bias=False)
        self.down = nn.Linear(hidden, dim, bias=False)

    def forward(self, x):
        gate, value = self.up(x).chunk(2, dim=-1)
        return self.down(F.silu(gate) * value)


class MoE(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.router = nn.Linear(cfg.dim, cfg.n_experts, bias=False)
        self.experts = nn.ModuleList(Expert(cfg.dim, cfg.ffn_dim) for _ in range(cfg.n_experts))
        self.top_k = cfg.top_k

    def forward(self, x):
        flat = x.reshape(-1, x.size(-1))
        probs = self.router(flat).softmax(dim=-1)
        weights, chosen = probs.topk(self.top_k, dim=-1)
        weights = weights / weights.sum(dim=-1, keepdim=True)
        out = torch.zeros_like(flat)
        for e, expert in enumerate(self.experts):
            token, slot = torch.where(chosen == e)
            out.index_add_(0, token, expert(flat[token]) * weights[token, slot].unsqueeze(-1))
        load = F.one_hot(chosen, probs.size(-1)).float().sum(dim=1).mean(dim=0)
        aux = probs.size(-1) * (load * probs.mean(dim=0)).sum()
        return out.view_as(x), aux


class Block(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.norm1, self.norm2 = RMSNorm(cfg.dim), RMSNorm(cfg.dim)
        self.attn, self.moe = Attention(cfg), MoE(cfg)

    def forward(self, x, cos, sin, cache=None):
        x = x + self.attn(self.norm1(x), cos, sin, cache)
        y, aux = self.moe(self.norm2(x))
        return x + y, aux


class Transformer(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.embed = nn.Embedding(cfg.vocab, cfg.dim)
        self.blocks = nn.ModuleList(Block(cfg) for _ in range(cfg.depth))
        self.norm = RMSNorm(cfg.dim)
        self.head = nn.Linear(cfg.dim, cfg.vocab, bias=False)
        self.head.weight = self.embed.weight
        cos, sin = rope_table(cfg.head_dim, cfg.max_len)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)

    def forward(self, ids, caches=None):
        start = caches[0].length if caches else 0
        cos, sin = self.cos[start:start + ids.size(1)], self.sin[start:start + ids.size(1)]
        x = self.embed(ids)
        aux_total = 0.0
        for i, block in enumerate(self.blocks):
            x, aux = block(x, cos, sin, caches[i] if caches else None)
            aux_total = aux_total + aux
        return self.head(self.norm(x)), aux_total

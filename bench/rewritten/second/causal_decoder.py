from dataclasses import dataclass
import math

import torch
import torch.nn as nn
from torch import Tensor
from torch.nn import functional as F


@dataclass
class DecoderConfig:
    vocab_size: int = 31
    block_size: int = 16
    n_head: int = 2
    n_embd: int = 24
    dropout: float = 0.2


class CausalSelfAttention(nn.Module):
    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        assert config.n_embd % config.n_head == 0
        self.n_head = config.n_head
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd)
        self.attn_dropout = nn.Dropout(config.dropout)
        mask = torch.tril(torch.ones(config.block_size, config.block_size))
        self.register_buffer("mask", mask.view(1, 1, config.block_size, config.block_size))

    def _heads(self, t: Tensor) -> Tensor:
        batch, time, width = t.size()
        return t.view(batch, time, self.n_head, width // self.n_head).transpose(1, 2)

    def forward(self, x: Tensor) -> Tensor:
        batch, time, width = x.size()
        q, k, v = map(self._heads, self.c_attn(x).split(width, dim=2))

        scores = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
        scores = scores.masked_fill(self.mask[:, :, :time, :time] == 0, float("-inf"))
        weights = self.attn_dropout(F.softmax(scores, dim=-1))
        y = weights @ v

        y = y.transpose(1, 2).reshape(batch, time, width)
        return self.c_proj(y)


class Decoder(nn.Module):
    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.wte = nn.Embedding(config.vocab_size, config.n_embd)
        self.ln = nn.LayerNorm(config.n_embd)
        self.attn = CausalSelfAttention(config)
        self.head = nn.Linear(config.n_embd, config.vocab_size)

    def forward(self, ids: Tensor) -> Tensor:
        h = self.wte(ids)
        h = h + self.attn(self.ln(h))
        return self.head(h)


Decoder(DecoderConfig())(torch.randint(0, 31, (2, 10)))

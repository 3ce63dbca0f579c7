"""Texts made short: a small T5 in the style of a configuration class."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F


@dataclass
class SummarizerConfig:
    vocab_size: int = 320
    d_model: int = 48
    d_kv: int = 12
    n_heads: int = 4
    d_ff: int = 96
    n_encoder: int = 2
    n_decoder: int = 2
    num_buckets: int = 16
    dropout: float = 0.1


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return self.weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)


class Attention(nn.Module):
    def __init__(self, config: SummarizerConfig, relative: bool = False, causal: bool = False):
        super().__init__()
        inner = config.n_heads * config.d_kv
        self.config, self.causal = config, causal
        self.q = nn.Linear(config.d_model, inner, bias=False)
        self.kv = nn.Linear(config.d_model, 2 * inner, bias=False)
        self.o = nn.Linear(inner, config.d_model, bias=False)
        self.bias = nn.Embedding(config.num_buckets, config.n_heads) if relative else None

    def split(self, x: Tensor) -> Tensor:
        return x.view(x.size(0), x.size(1), self.config.n_heads, self.config.d_kv).transpose(1, 2)

    def position_bias(self, q_len: int, k_len: int) -> Tensor:
        distance = torch.arange(k_len)[None, :] - torch.arange(q_len)[:, None]
        buckets = distance.abs().clamp(max=self.config.num_buckets - 1)
        return self.bias(buckets).permute(2, 0, 1).unsqueeze(0)

    def forward(self, x: Tensor, memory: Tensor | None = None, padding: Tensor | None = None) -> Tensor:
        source = x if memory is None else memory
        q = self.split(self.q(x))
        k, v = (self.split(part) for part in self.kv(source).chunk(2, dim=-1))
        scores = torch.matmul(q, k.transpose(2, 3))
        if self.bias is not None:
            scores = scores + self.position_bias(x.size(1), source.size(1))
        if self.causal:
            future = torch.ones(x.size(1), x.size(1), dtype=torch.bool).triu(1)
            scores = scores.masked_fill(future, float("-inf"))
        if padding is not None:
            scores = scores.masked_fill(padding[:, None, None, :], float("-inf"))
        out = torch.matmul(scores.softmax(-1), v).transpose(1, 2).flatten(2)
        return self.o(out)


class GatedFeedForward(nn.Module):
    def __init__(self, config: SummarizerConfig):
        super().__init__()
        self.wi = nn.Linear(config.d_model, config.d_ff * 2, bias=False)
        self.wo = nn.Linear(config.d_ff, config.d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        gate, value = self.wi(x).chunk(2, dim=-1)
        return self.wo(F.gelu(gate) * value)


class Block(nn.Module):
    def __init__(self, config: SummarizerConfig, decoder: bool, first: bool):
        super().__init__()
        self.attention = Attention(config, relative=first, causal=decoder)
        self.cross = Attention(config) if decoder else None
        self.ff = GatedFeedForward(config)
        self.norms = nn.ModuleList(RMSNorm(config.d_model) for _ in range(3 if decoder else 2))
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor, memory: Tensor | None = None, padding: Tensor | None = None) -> Tensor:
        own = None if self.cross is not None else padding
        x = x + self.dropout(self.attention(self.norms[0](x), padding=own))
        if self.cross is not None:
            x = x + self.dropout(self.cross(self.norms[1](x), memory, padding))
        return x + self.dropout(self.ff(self.norms[-1](x)))


class Stack(nn.Module):
    def __init__(self, config: SummarizerConfig, n_layers: int, decoder: bool):
        super().__init__()
        self.blocks = nn.ModuleList(Block(config, decoder, i == 0) for i in range(n_layers))
        self.norm = RMSNorm(config.d_model)

    def forward(self, x: Tensor, **context) -> Tensor:
        for block in self.blocks:
            x = block(x, **context)
        return self.norm(x)


class Summarizer(nn.Module):
    def __init__(self, config: SummarizerConfig):
        super().__init__()
        self.shared = nn.Embedding(config.vocab_size, config.d_model)
        self.encoder = Stack(config, config.n_encoder, decoder=False)
        self.decoder = Stack(config, config.n_decoder, decoder=True)
        self.lm_head = nn.Linear(config.d_model, config.vocab_size, bias=False)

    def forward(self, input_ids: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        padding = input_ids == 0
        memory = self.encoder(self.shared(input_ids), padding=padding)
        start = torch.zeros(labels.size(0), 1, dtype=torch.long)
        shifted = torch.cat([start, labels[:, :-1]], dim=1)
        hidden = self.decoder(self.shared(shifted), memory=memory, padding=padding)
        logits = self.lm_head(hidden)
        return F.cross_entropy(logits.flatten(0, 1), labels.flatten()), logits


def main():
    model = Summarizer(SummarizerConfig())
    articles = torch.randint(1, 320, (3, 27))
    summaries = torch.randint(1, 320, (3, 9))
    loss, logits = model(articles, summaries)
    loss.backward()


if __name__ == "__main__":
    main()

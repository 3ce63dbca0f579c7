# A small decoder-only language model: rotary positions, masks for the future and for padding,
# greedy sampling and a train step.
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass
class LMConfig:
    vocab: int = 320
    dim: int = 48
    heads: int = 4
    depth: int = 2
    max_len: int = 64
    dropout: float = 0.1
    pad: int = 0


def causal_mask(t: int, device) -> Tensor:
    """True where a position must not look."""
    return torch.triu(torch.ones(t, t, dtype=torch.bool, device=device), diagonal=1)


def rotate_half(x: Tensor) -> Tensor:
    a, b = x.chunk(2, dim=-1)
    return torch.cat([-b, a], dim=-1)


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class Rotary(nn.Module):
    def __init__(self, dim: int, base: float = 10000.0):
        super().__init__()
        inv = 1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))
        self.register_buffer("inv_freq", inv, persistent=False)

    def forward(self, q: Tensor, k: Tensor):
        pos = torch.arange(q.shape[-2], device=q.device, dtype=self.inv_freq.dtype)
        freqs = torch.outer(pos, self.inv_freq)
        emb = torch.cat([freqs, freqs], dim=-1)
        cos, sin = emb.cos(), emb.sin()
        return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin


class Attention(nn.Module):
    def __init__(self, cfg: LMConfig):
        super().__init__()
        self.heads = cfg.heads
        self.qkv = nn.Linear(cfg.dim, 3 * cfg.dim, bias=False)
        self.proj = nn.Linear(cfg.dim, cfg.dim, bias=False)
        self.rotary = Rotary(cfg.dim // cfg.heads)
        self.p = cfg.dropout

    def split(self, x: Tensor) -> Tensor:
        b, t, _ = x.shape
        return x.view(b, t, self.heads, -1).transpose(1, 2)

    def forward(self, x: Tensor, blocked: Tensor) -> Tensor:
        b, t, d = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k, v = self.split(q), self.split(k), self.split(v)
        q, k = self.rotary(q, k)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        scores = scores.masked_fill(blocked, float("-inf"))
        att = torch.softmax(scores, dim=-1)
        att = F.dropout(att, self.p, self.training)
        out = (att @ v).transpose(1, 2).reshape(b, t, d)
        return self.proj(out)


class MLP(nn.Module):
    def __init__(self, cfg: LMConfig):
        super().__init__()
        self.gate = nn.Linear(cfg.dim, 2 * cfg.dim, bias=False)
        self.up = nn.Linear(cfg.dim, 2 * cfg.dim, bias=False)
        self.down = nn.Linear(2 * cfg.dim, cfg.dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Block(nn.Module):
    def __init__(self, cfg: LMConfig):
        super().__init__()
        self.norm1, self.norm2 = RMSNorm(cfg.dim), RMSNorm(cfg.dim)
        self.attn, self.mlp = Attention(cfg), MLP(cfg)

    def forward(self, x: Tensor, blocked: Tensor) -> Tensor:
        x = x + self.attn(self.norm1(x), blocked)
        return x + self.mlp(self.norm2(x))


class TinyLM(nn.Module):
    def __init__(self, cfg: LMConfig):
        super().__init__()
        self.cfg = cfg
        self.tok = nn.Embedding(cfg.vocab, cfg.dim, padding_idx=cfg.pad)
        self.blocks = nn.ModuleList(Block(cfg) for _ in range(cfg.depth))
        self.norm = RMSNorm(cfg.dim)
        self.lm_head = nn.Linear(cfg.dim, cfg.vocab, bias=False)
        self.lm_head.weight = self.tok.weight

    def forward(self, ids: Tensor) -> Tensor:
        pad = ids.eq(self.cfg.pad)
        blocked = causal_mask(ids.shape[1], ids.device)[None, None]
        blocked = blocked | pad[:, None, None, :]
        x = self.tok(ids) * math.sqrt(self.cfg.dim)
        for block in self.blocks:
            x = block(x, blocked)
        return self.lm_head(self.norm(x))

    @torch.no_grad()
    def generate(self, ids: Tensor, steps: int, temperature: float = 1.0) -> Tensor:
        for _ in range(steps):
            logits = self(ids[:, -self.cfg.max_len :])[:, -1] / temperature
            probs = F.softmax(logits, dim=-1)
            ids = torch.cat([ids, torch.multinomial(probs, 1)], dim=1)
        return ids


class LMTask(nn.Module):
    def __init__(self, cfg: LMConfig):
        super().__init__()
        self.model = TinyLM(cfg)
        self.pad = cfg.pad

    def forward(self, batch: Tensor) -> Tensor:
        inputs, targets = batch[:, :-1], batch[:, 1:]
        logits = self.model(inputs)
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=self.pad)


def train_step(task: LMTask, optimizer, batch: Tensor) -> float:
    loss = task(batch)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(task.parameters(), 1.0)
    optimizer.step()
    return loss.item()


if __name__ == "__main__":
    torch.manual_seed(0)
    task = LMTask(LMConfig())
    opt = torch.optim.AdamW(task.parameters(), lr=3e-4)
    data = torch.randint(1, 320, (4, 33))
    for _ in range(2):
        print(train_step(task, opt, data))
    print(task.model.generate(data[:, :5], 3).shape)

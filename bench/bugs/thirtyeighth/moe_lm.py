"""Character language model with rotary attention, grouped queries and routed experts."""
import math
from dataclasses import dataclass

import torch
from torch import nn, Tensor
from torch.nn import functional as F

TEXT = ("it was the best of times, it was the worst of times, it was the age of wisdom, "
        "it was the age of foolishness, it was the epoch of belief, ") * 4


@dataclass
class Config:
    vocab: int = 32
    block: int = 24
    d_model: int = 48
    n_heads: int = 6
    n_kv: int = 2
    n_layers: int = 2
    n_experts: int = 4
    top_k: int = 2
    d_ff: int = 64

    @property
    def d_head(self) -> int:
        return self.d_model // self.n_heads


class RMSNorm(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        scale = x.pow(2).mean(dim=-1, keepdim=True).add(1e-6).rsqrt()
        return x * scale * self.weight


def rotary_tables(length: int, dim: int, base: float = 10000.0) -> tuple[Tensor, Tensor]:
    freq = base ** (-torch.arange(0, dim, 2).float() / dim)
    angles = torch.arange(length).float()[:, None] * freq[None, :]
    angles = torch.cat([angles, angles], dim=-1)
    return angles.cos(), angles.sin()


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    left, right = x.chunk(2, dim=-1)
    turned = torch.cat([-right, left], dim=-1)
    return x * cos + turned * sin


class Attention(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.q_size = cfg.n_heads * cfg.d_head
        self.kv_size = cfg.n_kv * cfg.d_head
        self.qkv = nn.Linear(cfg.d_model, self.q_size + 2 * self.kv_size, bias=False)
        self.proj = nn.Linear(cfg.d_model, cfg.d_model, bias=False)
        cos, sin = rotary_tables(cfg.block, cfg.d_head)
        self.register_buffer("cos", cos)
        self.register_buffer("sin", sin)
        future = torch.ones(cfg.block, cfg.block, dtype=torch.bool).triu(1)
        self.register_buffer("future", future)

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        q, k, v = self.qkv(x).split([self.q_size, self.kv_size, self.kv_size], dim=-1)
        q = q.view(B, T, self.cfg.n_heads, self.cfg.d_head).transpose(1, 2)
        k = k.view(B, T, self.cfg.n_kv, self.cfg.d_head).transpose(1, 2)
        v = v.view(B, T, self.cfg.n_kv, self.cfg.d_head).transpose(1, 2)
        q = rotate(q, self.cos[:T], self.sin[:T])
        k = rotate(k, self.cos[:T], self.sin[:T])
        groups = self.cfg.n_heads // self.cfg.n_kv
        k = k.repeat_interleave(groups, dim=1)
        v = v.repeat_interleave(groups, dim=1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.cfg.d_head)
        scores = scores.masked_fill(self.future[:T, :T], float("-inf"))
        y = scores.softmax(dim=-1) @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.proj(y)


class Experts(nn.Module):
    """All experts' weights in two tensors; every token visits `top_k` of them."""

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.router = nn.Linear(cfg.d_model, cfg.n_experts, bias=False)
        self.w_in = nn.Parameter(torch.randn(cfg.n_experts, cfg.d_model, 2 * cfg.d_ff) * 0.05)
        self.w_out = nn.Parameter(torch.randn(cfg.n_experts, cfg.d_ff, cfg.d_model) * 0.05)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        shape = x.shape
        tokens = x.reshape(-1, self.cfg.d_model)
        probs = self.router(tokens).softmax(dim=-1)
        weight, chosen = probs.topk(self.cfg.top_k, dim=-1)
        weight = weight / weight.sum(dim=-1, keepdim=True)
        out = torch.zeros_like(tokens)
        for e in range(self.cfg.n_experts):
            where, slot = torch.nonzero(chosen == e, as_tuple=True)
            hidden = F.glu(tokens[where] @ self.w_in[e], dim=-1)
            result = hidden @ self.w_out[e]
            out.index_add_(0, where, result * weight[where, slot].unsqueeze(-1))
        load = F.one_hot(chosen, self.cfg.n_experts).float().sum(dim=1).mean(dim=0)
        balance = self.cfg.n_experts * torch.dot(load, probs.mean(dim=0))
        return out.view(shape), balance


class Block(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.norm1, self.norm2 = RMSNorm(cfg.d_model), RMSNorm(cfg.d_model)
        self.attn, self.moe = Attention(cfg), Experts(cfg)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        x = x + self.attn(self.norm1(x))
        y, balance = self.moe(self.norm2(x))
        return x + y, balance


class LanguageModel(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.embed = nn.Embedding(cfg.vocab, cfg.d_model)
        self.blocks = nn.ModuleList([Block(cfg) for _ in range(cfg.n_layers)])
        self.norm = RMSNorm(cfg.d_model)

    def forward(self, ids: Tensor, targets: Tensor | None = None):
        x = self.embed(ids)
        balances = []
        for block in self.blocks:
            x, balance = block(x)
            balances.append(balance)
        logits = self.norm(x) @ self.embed.weight.T
        if targets is None:
            return logits, None
        loss = F.cross_entropy(logits.view(-1, self.cfg.vocab), targets.reshape(-1))
        return logits, loss + 0.01 * torch.stack(balances).mean()

    @torch.no_grad()
    def sample(self, ids: Tensor, count: int) -> Tensor:
        for _ in range(count):
            logits, _ = self(ids[:, -self.cfg.block:])
            top, places = logits[:, -1].topk(5, dim=-1)
            pick = torch.multinomial(top.softmax(dim=-1), 1)
            ids = torch.cat([ids, places.gather(1, pick)], dim=1)
        return ids


def batches(ids: Tensor, cfg: Config, size: int, steps: int):
    for _ in range(steps):
        starts = torch.randint(0, len(ids) - cfg.block - 1, (size,))
        window = ids[starts[:, None] + torch.arange(cfg.block + 1)]
        yield window[:, :-1], window[:, 1:]


if __name__ == "__main__":
    torch.manual_seed(0)
    cfg = Config()
    letters = sorted(set(TEXT))
    ids = torch.tensor([letters.index(c) for c in TEXT])
    model = LanguageModel(cfg)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for inputs, targets in batches(ids, cfg, 8, 5):
        _, loss = model(inputs, targets)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    print("loss", loss.item())
    out = model.sample(ids[None, :4], 30)
    print("".join(letters[min(i, len(letters) - 1)] for i in out[0].tolist()))

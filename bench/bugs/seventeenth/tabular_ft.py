"""Feature tokens of a table and a Transformer over them, with a mixture of normals as the output."""

import math
from dataclasses import dataclass

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class TableConfig:
    cardinalities: tuple = (12, 7, 31, 24)
    n_num: int = 9
    d_token: int = 48
    n_heads: int = 6
    n_blocks: int = 2
    ffn_factor: float = 4 / 3
    components: int = 5


class FeatureTokenizer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(cfg.n_num, cfg.d_token))
        self.bias = nn.Parameter(torch.empty(cfg.n_num, cfg.d_token))
        offsets = torch.tensor([0, *cfg.cardinalities[:-1]]).cumsum(0)
        self.register_buffer("offsets", offsets)
        self.embeddings = nn.Embedding(sum(cfg.cardinalities), cfg.d_token)
        self.cls = nn.Parameter(torch.zeros(cfg.d_token))
        bound = 1 / math.sqrt(cfg.d_token)
        nn.init.uniform_(self.weight, -bound, bound)
        nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, x_num, x_cat):
        num = x_num[:, :, None] * self.weight + self.bias
        cat = self.embeddings(x_cat + self.offsets)
        cls = self.cls.expand(x_num.size(0), 1, -1)
        return torch.cat([cls, num, cat], dim=1)


class ReGLU(nn.Module):
    def forward(self, x):
        a, b = x.chunk(2, dim=-1)
        return a * torch.relu(b)


class Attention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.scale = (d // heads) ** -0.5
        self.to_q = nn.Linear(d, d, bias=False)
        self.to_kv = nn.Linear(d, 2 * d, bias=False)
        self.to_out = nn.Linear(d, d)

    def split(self, x):
        b, n, d = x.shape
        return x.reshape(b, n, self.heads, d // self.heads).permute(0, 2, 1, 3)

    def forward(self, q, kv):
        k, v = self.to_kv(kv).chunk(2, dim=-1)
        q, k, v = self.split(self.to_q(q)), self.split(k), self.split(v)
        attn = (torch.einsum("bhid,bhjd->bhij", q, k) * self.scale).softmax(dim=-1)
        out = torch.einsum("bhij,bhjd->bhid", attn, v)
        out = out.permute(0, 2, 1, 3).flatten(2)
        return self.to_out(out)


class Block(nn.Module):
    def __init__(self, cfg, last=False):
        super().__init__()
        d, hidden = cfg.d_token, int(cfg.d_token * cfg.ffn_factor)
        self.last = last
        self.norm1 = nn.LayerNorm(d)
        self.attn = Attention(d, cfg.n_heads)
        self.norm2 = nn.LayerNorm(d)
        self.ffn = nn.Sequential(nn.Linear(d, hidden * 2), ReGLU(), nn.Dropout(0.1), nn.Linear(hidden, d))

    def forward(self, x):
        y = self.norm1(x)
        if self.last:
            x = x[:, :1] + self.attn(y[:, :1], y)
        else:
            x = x + self.attn(y, y)
        return x + self.ffn(self.norm2(x))


class FTTransformer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.tokenizer = FeatureTokenizer(cfg)
        self.blocks = nn.ModuleList([Block(cfg, i == cfg.n_blocks - 1) for i in range(cfg.n_blocks)])
        self.norm = nn.LayerNorm(cfg.d_token)
        self.head = nn.Linear(cfg.d_token, 3 * cfg.components)

    def forward(self, x_num, x_cat):
        x = self.tokenizer(x_num, x_cat)
        for block in self.blocks:
            x = block(x)
        x = self.norm(x[:, 0])
        logits, mean, log_scale = self.head(x).chunk(3, dim=-1)
        return logits, mean, log_scale


def mixture_nll(logits, mean, log_scale, y):
    z = (y.unsqueeze(-1) - mean) * torch.exp(-log_scale)
    log_prob = -0.5 * z**2 - log_scale - 0.5 * math.log(2 * math.pi)
    return -torch.logsumexp(log_prob + logits.log_softmax(-1), dim=-1).mean()


def make_data(cfg, rows=64):
    x_num = torch.randn(rows, cfg.n_num)
    x_cat = torch.stack([torch.randint(0, c, (rows,)) for c in cfg.cardinalities], dim=1)
    y = x_num.sum(1) + 0.1 * torch.randn(rows)
    return TensorDataset(x_num, x_cat, y)


def fit(cfg, epochs=1):
    model = FTTransformer(cfg)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    for _ in range(epochs):
        for x_num, x_cat, y in DataLoader(make_data(cfg), batch_size=16):
            loss = mixture_nll(*model(x_num, x_cat), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model


if __name__ == "__main__":
    fit(TableConfig())

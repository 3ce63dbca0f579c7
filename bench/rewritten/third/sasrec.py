import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class ItemEmbedding(nn.Module):
    def __init__(self, n_items, max_len, dim):
        super().__init__()
        self.item = nn.Embedding(n_items + 1, dim, padding_idx=0)
        self.position = nn.Parameter(torch.zeros(max_len, dim))

    def forward(self, history):
        return self.item(history) + self.position[: history.shape[1]]


class HistoryAttention(nn.Module):
    def __init__(self, dim, n_heads, max_len, dropout=0.2):
        super().__init__()
        self.n_heads = n_heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.drop = nn.Dropout(dropout)
        causal = torch.tril(torch.ones(max_len, max_len))
        self.register_buffer("causal", causal, persistent=False)

    def attention(self, q, k, v):
        n = q.size(2)
        scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(q.size(3))
        scores = scores.masked_fill(self.causal[:n, :n] == 0, -1e9)
        return torch.matmul(self.drop(F.softmax(scores, dim=3)), v)

    def forward(self, x):
        b, n, d = x.shape
        qkv = self.qkv(x).view(b, n, 3, self.n_heads, d // self.n_heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        y = self.attention(q, k, v)
        return y.transpose(1, 2).reshape(b, n, d)


class SASRecBlock(nn.Module):
    def __init__(self, dim, n_heads, max_len):
        super().__init__()
        self.attn = HistoryAttention(dim, n_heads, max_len)
        self.norm1 = nn.LayerNorm(dim, eps=1e-8)
        self.norm2 = nn.LayerNorm(dim, eps=1e-8)
        self.ff = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, dim))

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.ff(self.norm2(x))


class SASRec(nn.Module):
    def __init__(self, n_items=50, max_len=20, dim=24, n_heads=2, n_blocks=2):
        super().__init__()
        self.embedding = ItemEmbedding(n_items, max_len, dim)
        self.blocks = nn.Sequential(*[SASRecBlock(dim, n_heads, max_len) for _ in range(n_blocks)])
        self.norm = nn.LayerNorm(dim)

    def forward(self, history, candidates):
        user = self.norm(self.blocks(self.embedding(history)))[:, -1]
        items = self.embedding.item(candidates)
        return (items @ user.unsqueeze(-1)).squeeze(-1)


SASRec()(torch.randint(1, 51, (3, 10)), torch.randint(1, 51, (3, 6)))

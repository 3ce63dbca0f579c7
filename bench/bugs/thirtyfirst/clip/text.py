import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)

    def forward(self, x, causal):
        b, n, w = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) * (w // self.heads) ** -0.5
        scores = scores.masked_fill(causal, float("-inf"))
        out = scores.softmax(dim=-1) @ v
        return self.proj(out.transpose(1, 2).reshape(b, n, w))


class TextBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn = SelfAttention(width, heads)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x, causal):
        x = x + self.attn(self.norm1(x), causal)
        return x + self.mlp(self.norm2(x))


class TextEncoder(nn.Module):
    def __init__(self, vocab=1000, length=32, width=128, depth=2, heads=4):
        super().__init__()
        self.width = width
        self.token = nn.Embedding(vocab, width)
        self.position = nn.Parameter(torch.randn(length, width) * 0.01)
        self.blocks = nn.ModuleList([TextBlock(width, heads) for _ in range(depth)])
        self.norm = nn.LayerNorm(width)
        self.register_buffer("causal", torch.triu(torch.ones(length, length, dtype=torch.bool), 1))

    def forward(self, tokens):
        n = tokens.size(1)
        x = self.token(tokens) + self.position[:n]
        for block in self.blocks:
            x = block(x, self.causal[:n, :n])
        x = self.norm(x)
        return x[torch.arange(x.size(0)), tokens.argmax(dim=-1)]

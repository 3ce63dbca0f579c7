import torch
import torch.nn as nn
import torch.nn.functional as F


class GridAttention(nn.Module):
    """Attention over the cells of a coarse weather grid."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.merge = nn.Linear(width, width)

    def _heads(self, t):
        return t.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x):
        q = self._heads(self.query(x))
        k = self._heads(self.key(x))
        v = self._heads(self.value(x))
        y = F.scaled_dot_product_attention(q, k, v)
        return self.merge(y.transpose(1, 2).flatten(2))


class GridBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.ln1 = nn.LayerNorm(width)
        self.attn = GridAttention(width, heads)
        self.ln2 = nn.LayerNorm(width)
        self.ffn = nn.Sequential(nn.Linear(width, width * 2), nn.GELU(), nn.Linear(width * 2, width))

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.ffn(self.ln2(x))


class GridForecaster(nn.Module):
    def __init__(self, variables=5, width=24, heads=4, depth=2):
        super().__init__()
        self.embed = nn.Conv2d(variables, width, 2, stride=2)
        self.blocks = nn.Sequential(*[GridBlock(width, heads) for _ in range(depth)])
        self.decode = nn.ConvTranspose2d(width, variables, 2, stride=2)

    def forward(self, state):
        h = self.embed(state)
        b, c, rows, cols = h.shape
        h = self.blocks(h.flatten(2).transpose(1, 2))
        h = h.transpose(1, 2).reshape(b, c, rows, cols)
        return state + self.decode(h)


GridForecaster()(torch.randn(2, 5, 8, 8))

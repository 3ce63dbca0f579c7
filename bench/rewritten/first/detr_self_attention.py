import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention


class ObjectQueryAttention(nn.Module):
    """As in DETR: positions go into queries and keys, not into the values."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.wq = nn.Linear(dim, dim)
        self.wk = nn.Linear(dim, dim)
        self.wv = nn.Linear(dim, dim)
        self.wo = nn.Linear(dim, dim)

    def split(self, t):
        b, n, c = t.shape
        return t.view(b, n, self.heads, c // self.heads).transpose(1, 2)

    def forward(self, x, query_pos, key_pos):
        src = x
        x = src + query_pos
        q = self.split(self.wq(x))
        x = src + key_pos
        k = self.split(self.wk(x))
        x = src
        v = self.split(self.wv(x))
        y = scaled_dot_product_attention(q, k, v)
        return src + self.wo(y.transpose(1, 2).flatten(2))


ObjectQueryAttention(16, 2)(torch.randn(2, 6, 16), torch.randn(6, 16), torch.randn(6, 16))

"""
Lesson 9, part 1: attention on sets.

A point cloud is a *set*: the order of its points means nothing.  All blocks here are either
permutation equivariant (MAB, SAB, ISAB) or permutation invariant (PMA).

Shapes in the comments:  B batch,  N points,  M inducing points,  D features,  H heads
"""
import torch
import torch.nn as nn


class MultiheadAttentionBlock(nn.Module):
    """MAB(X, Y): every element of X looks at all elements of Y."""

    def __init__(self, dim_x, dim_y, dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = dim // num_heads
        self.query = nn.Linear(dim_x, dim)
        self.key_value = nn.Linear(dim_y, 2 * dim)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.feed_forward = nn.Sequential(nn.Linear(dim, 2 * dim), nn.ReLU(), nn.Linear(2 * dim, dim))

    def split_heads(self, t):
        # (B, N, D) -> (B, H, N, D / H)
        return t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def forward(self, x, y, mask=None):
        q = self.query(x)                                       # (B, N, D)
        k, v = self.key_value(y).chunk(2, dim=-1)               # (B, M, D) each
        qh, kh, vh = self.split_heads(q), self.split_heads(k), self.split_heads(v)
        scores = torch.einsum("bhnd,bhmd->bhnm", qh, kh) / self.head_dim ** 0.5
        if mask is not None:
            # (B, M) -> (B, 1, 1, M)
            scores = scores.masked_fill(~mask[:, None, None, :], float("-inf"))
        weights = scores.softmax(dim=-1)
        heads = torch.einsum("bhnm,bhmd->bhnd", weights, vh)
        merged = heads.transpose(1, 2).flatten(2)               # (B, N, D)
        h = self.norm1(q + merged)
        return self.norm2(h + self.feed_forward(h))


class SetAttentionBlock(nn.Module):
    """SAB(X) = MAB(X, X)."""

    def __init__(self, dim_in, dim, num_heads):
        super().__init__()
        self.mab = MultiheadAttentionBlock(dim_in, dim_in, dim, num_heads)

    def forward(self, x, mask=None):
        return self.mab(x, x, mask)


class InducedSetAttentionBlock(nn.Module):
    """ISAB(X): attention through M learned points, so that the cost is N * M instead of N * N."""

    def __init__(self, dim_in, dim, num_heads, num_inducing):
        super().__init__()
        self.inducing = nn.Parameter(torch.randn(1, num_inducing, dim) * 0.1)
        self.gather_block = MultiheadAttentionBlock(dim, dim_in, dim, num_heads)
        self.scatter_block = MultiheadAttentionBlock(dim_in, dim, dim, num_heads)

    def forward(self, x, mask=None):
        inducing = self.inducing.expand(x.size(0), -1, -1)
        h = self.gather_block(inducing, x, mask)                # (B, M, D)
        return self.scatter_block(x, h)                         # (B, N, D)


class PoolingByAttention(nn.Module):
    """PMA(X): K seeds ask the set; the answer has a fixed size."""

    def __init__(self, dim, num_heads, num_seeds):
        super().__init__()
        self.seeds = nn.Parameter(torch.randn(num_seeds, dim) * 0.1)
        self.mab = MultiheadAttentionBlock(dim, dim, dim, num_heads)

    def forward(self, x, mask=None):
        seeds = self.seeds.unsqueeze(0).repeat(x.size(0), 1, 1)
        return self.mab(seeds, x, mask)                         # (B, K, D)

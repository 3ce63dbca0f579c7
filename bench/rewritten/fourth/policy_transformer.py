import math

import torch
from torch import nn


class TokenMixer(nn.Module):
    """Self-attention over the objects a gripper camera has detected."""

    def __init__(self, width: int, heads: int, p_drop: float = 0.1):
        super().__init__()
        assert width % heads == 0
        self.heads = heads
        self.head_dim = width // heads
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width)
        self.softmax = nn.Softmax(dim=-1)
        self.attn_drop = nn.Dropout(p_drop)

    def forward(self, x, present):
        b, n, c = x.shape
        q, k, v = (
            self.qkv(x)
            .view(b, n, 3, self.heads, self.head_dim)
            .permute(2, 0, 3, 1, 4)
            .unbind(0)
        )

        q = q * (1.0 / math.sqrt(self.head_dim))
        scores = torch.matmul(q, k.transpose(-2, -1))

        # objects that are not there must not be looked at
        missing = ~present[:, None, None, :]
        scores = scores.masked_fill(missing, float("-inf"))

        weights = self.attn_drop(self.softmax(scores))
        y = torch.matmul(weights, v)
        y = y.transpose(1, 2).reshape(b, n, c)
        return self.out(y)


class MixerBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.n1 = nn.LayerNorm(width)
        self.mix = TokenMixer(width, heads)
        self.n2 = nn.LayerNorm(width)
        self.ff = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x, present):
        x = x + self.mix(self.n1(x), present)
        return x + self.ff(self.n2(x))


class ObjectPolicy(nn.Module):
    def __init__(self, obj_dim=9, width=32, heads=4, depth=2, actions=7):
        super().__init__()
        self.stem = nn.Linear(obj_dim, width)
        self.blocks = nn.ModuleList(MixerBlock(width, heads) for _ in range(depth))
        self.action = nn.Linear(width, actions)

    def forward(self, objects, present):
        h = self.stem(objects)
        for blk in self.blocks:
            h = blk(h, present)
        return self.action(h.mean(dim=1))


ObjectPolicy()(torch.randn(2, 5, 9), torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], dtype=torch.bool))

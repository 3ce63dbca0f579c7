import torch
from torch import nn
import torch.nn.functional as F


class Attn(nn.Module):
    def __init__(self, d, h=4, p=0.1):
        super().__init__()
        self.h, self.p = h, p
        self.qkv = nn.Linear(d, 3 * d, bias=False)
        self.o = nn.Linear(d, d)
        self.sc = (d // h) ** -0.5

    def forward(self, x):
        # b h n d
        q, k, v = (
            t.unflatten(-1, (self.h, -1)).transpose(1, 2)
            for t in self.qkv(x).chunk(3, -1)
        )
        a = torch.einsum('bhid,bhjd->bhij', q, k) * self.sc
        a = F.dropout(a.softmax(-1), self.p, self.training)
        y = torch.einsum('bhij,bhjd->bhid', a, v)
        return self.o(y.transpose(1, 2).flatten(2))


class Blk(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.att = Attn(d)
        self.mlp = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))

    def forward(self, x):
        x = x + self.att(self.n1(x))
        return x + self.mlp(self.n2(x))


Blk(32)(torch.randn(2, 6, 32))

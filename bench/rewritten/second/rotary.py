import torch
from torch import nn
import torch.nn.functional as F


def rot_half(x):
    a, b = x.chunk(2, -1)
    return torch.cat((-b, a), -1)


class RoPE(nn.Module):
    def __init__(self, dh, base=1e4):
        super().__init__()
        self.inv_freq = base ** (-torch.arange(0, dh, 2) / dh)

    def forward(self, t):
        pos = torch.arange(t.size(-2), device=t.device, dtype=t.dtype)
        ang = torch.outer(pos, self.inv_freq)
        ang = torch.cat((ang, ang), -1)
        return t * ang.cos() + rot_half(t) * ang.sin()


class RoAttn(nn.Module):
    def __init__(self, d, h=2):
        super().__init__()
        self.h = h
        self.qkv = nn.Linear(d, 3 * d, bias=False)
        self.rope = RoPE(d // h)
        self.o = nn.Linear(d, d, bias=False)

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (self.h, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        y = F.scaled_dot_product_attention(self.rope(q), self.rope(k), v)
        return self.o(y.transpose(1, 2).flatten(-2))


RoAttn(16)(torch.randn(2, 6, 16))

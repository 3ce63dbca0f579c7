import torch
from torch import nn
import torch.nn.functional as F


class MHSA(nn.Module):
    def __init__(self, d, h=2, dh=8):
        super().__init__()
        self.h = h
        self.to_q = nn.Linear(d, h * dh, bias=False)
        self.to_k = nn.Linear(d, h * dh, bias=False)
        self.to_v = nn.Linear(d, h * dh, bias=False)
        self.to_out = nn.Linear(h * dh, d)

    def heads(self, t):
        return t.unflatten(-1, (self.h, -1)).transpose(1, 2)

    def forward(self, z):
        q = self.heads(self.to_q(z))
        k = self.heads(self.to_k(z))
        v = self.heads(self.to_v(z))
        o = F.scaled_dot_product_attention(q, k, v)
        return self.to_out(o.transpose(1, 2).flatten(2))


class TinyViT(nn.Module):
    def __init__(self, d=12, p=4, nc=3):
        super().__init__()
        self.patch = nn.Conv2d(3, d, p, stride=p)
        self.ln = nn.LayerNorm(d)
        self.att = MHSA(d)
        self.fc = nn.Linear(d, nc)

    def forward(self, im):
        x = self.patch(im).flatten(2).mT
        x = x + self.att(self.ln(x))
        return self.fc(x.mean(1))


TinyViT()(torch.randn(2, 3, 8, 8))

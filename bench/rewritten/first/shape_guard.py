import torch
import torch.nn as nn
import torch.nn.functional as F


class SeparableConv(nn.Module):
    def __init__(self, cin, cout, k=3):
        super().__init__()
        self.cin = cin
        self.depth = nn.Conv2d(cin, cin, k, padding=k // 2, groups=cin)
        self.point = nn.Conv2d(cin, cout, 1)

    def forward(self, x):
        assert x.dim() == 4 and x.size(1) == self.cin, f"want (N, {self.cin}, H, W)"
        return self.point(F.relu(self.depth(x)))


class Tiny(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = SeparableConv(3, 6)
        self.b = SeparableConv(6, 4)

    def forward(self, x):
        return self.b(self.a(x)).mean(dim=(-1, -2))


Tiny()(torch.randn(2, 3, 8, 8))

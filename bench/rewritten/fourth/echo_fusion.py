import torch
import torch.nn as nn
import torch.nn.functional as F


class Branch(nn.Module):
    def __init__(self, cin, width):
        super().__init__()
        self.c1 = nn.Conv2d(cin, width, 3, padding=1)
        self.c2 = nn.Conv2d(width, width, 3, padding=1)

    def forward(self, x):
        return F.relu(self.c2(F.relu(self.c1(x))))


def blend(a, b, mask):
    return a * mask + b * (1 - mask)


class Fusion(nn.Module):
    """Brings the B-mode and the Doppler branch together, pixel by pixel."""

    def __init__(self, width):
        super().__init__()
        self.mask = nn.Conv2d(2 * width, 1, 1)

    def forward(self, a, b):
        m = torch.sigmoid(self.mask(torch.cat([a, b], dim=1)))
        return blend(a, b, m)


class EchoSegmenter(nn.Module):
    def __init__(self, width=8, classes=4):
        super().__init__()
        self.bmode = Branch(1, width)
        self.doppler = Branch(2, width)
        self.fusion = Fusion(width)
        self.classes = nn.Conv2d(width, classes, 1)

    def forward(self, bmode, doppler):
        h = self.fusion(self.bmode(bmode), self.doppler(doppler))
        return self.classes(h)


EchoSegmenter()(torch.randn(2, 1, 10, 10), torch.randn(2, 2, 10, 10))

import torch
import torch.nn as nn
import torch.nn.functional as F


class DomainNorm(nn.Module):
    """Day and night pictures have their own statistics."""

    def __init__(self, ch):
        super().__init__()
        self.day = nn.BatchNorm2d(ch)
        self.night = nn.BatchNorm2d(ch)

    def forward(self, h, img):
        bright = img.mean()
        if bright > 0.5:
            out = self.day(h)
        else:
            out = self.night(h)
        return out


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.dn = DomainNorm(8)
        self.fc = nn.Linear(8, 2)

    def forward(self, img):
        h = F.relu(self.dn(self.conv(img), img))
        return self.fc(F.adaptive_avg_pool2d(h, 1).flatten(1))


Net()(torch.rand(4, 3, 8, 8))

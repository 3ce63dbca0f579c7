"""Traces the veins of leaves; each level keeps what it had before normalisation."""
import torch
from torch import nn


class Level(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, 3, padding=1)
        self.norm = nn.BatchNorm2d(cout)
        self.act = nn.ReLU()

    def forward(self, x):
        raw = self.conv(x)
        return self.act(self.norm(raw)), raw


class Veins(nn.Module):
    def __init__(self, widths=(6, 8, 10)):
        super().__init__()
        self.levels = nn.ModuleList()
        cin = 3
        for w in widths:
            self.levels.append(Level(cin, w))
            cin = w
        self.trace = nn.Conv2d(sum(widths), 1, 1)

    def forward(self, leaf):
        h, kept = leaf, []
        for level in self.levels:
            h, raw = level(h)
            kept.append(raw)
        return self.trace(torch.cat(kept, dim=1))


if __name__ == "__main__":
    torch.manual_seed(0)
    print(Veins()(torch.rand(2, 3, 16, 16)).shape)

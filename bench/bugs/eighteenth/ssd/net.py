"""A small single shot detector: maps of three sizes, a head for each."""

import torch
import torch.nn as nn
import torch.nn.functional as F

from ssd.anchors import grid_anchors

RATIOS = (1.0, 2.0, 0.5)
WIDTHS = [32, 64, 96]
SIZES = [(16, 0.1), (8, 0.3), (4, 0.6)]


def block(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout // 2, 1),
        nn.BatchNorm2d(cout // 2),
        nn.ReLU(inplace=True),
        nn.Conv2d(cout // 2, cout, 3, stride=2, padding=1),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
    )


class Head(nn.Module):
    def __init__(self, channels, anchors, outputs):
        super().__init__()
        self.outputs = outputs
        self.conv = nn.Conv2d(channels, anchors * outputs, 3, padding=1)

    def forward(self, x):
        x = self.conv(x).permute(0, 2, 3, 1)
        return x.reshape(x.size(0), -1, self.outputs)


class SSD(nn.Module):
    def __init__(self, classes=5):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 3, stride=2, padding=1), nn.BatchNorm2d(16), nn.ReLU())
        self.stages = nn.ModuleList()
        cin = 16
        for width in WIDTHS:
            self.stages.append(block(cin, width))
            cin = width
        self.smooth = nn.ModuleList(nn.Conv2d(width, 48, 1) for width in WIDTHS)
        self.boxes = nn.ModuleList(Head(48, len(RATIOS), 4) for _ in WIDTHS)
        self.scores = nn.ModuleList(Head(48, len(RATIOS), classes + 1) for _ in WIDTHS)
        self.register_buffer("anchors", torch.cat([grid_anchors(size, scale, RATIOS) for size, scale in SIZES]))

    def forward(self, x):
        x = self.stem(x)
        maps = []
        for stage in self.stages:
            x = stage(x)
            maps.append(x)
        maps = [smooth(m) for smooth, m in zip(self.smooth, maps)]
        for i in range(len(maps) - 1, 0, -1):
            maps[i - 1] = maps[i - 1] + F.interpolate(maps[i], scale_factor=2)
        boxes = torch.cat([head(m) for head, m in zip(self.boxes, maps)], dim=1)
        scores = torch.cat([head(m) for head, m in zip(self.scores, maps)], dim=1)
        return boxes, scores

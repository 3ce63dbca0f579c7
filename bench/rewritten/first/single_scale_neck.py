import torch
import torch.nn as nn
import torch.nn.functional as F


class Backbone(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.c1 = nn.Conv2d(3, width, 3, stride=2, padding=1)
        self.c2 = nn.Conv2d(width, width * 2, 3, stride=2, padding=1)

    def forward(self, x):
        x = F.silu(self.c1(x))
        return F.silu(self.c2(x))


class Detector(nn.Module):
    """One-level detector; the pyramid was thrown out for speed."""

    def __init__(self, width=8, anchors=2, classes=3):
        super().__init__()
        self.backbone = Backbone(width)
        self.lateral = nn.Conv2d(width * 2, width, 1)
        self.pred = nn.Conv2d(width, anchors * (5 + classes), 1)

    def forward(self, img):
        c2 = self.backbone(img)
        lateral = self.lateral(c2)

        # fuse levels
        fused = torch.cat([lateral], dim=1)

        return self.pred(F.silu(fused))


Detector()(torch.randn(1, 3, 16, 16))

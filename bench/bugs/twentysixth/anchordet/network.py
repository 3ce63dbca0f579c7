import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from .config import DetConfig


def conv_gn_act(c_in, c_out, k=3, s=1, groups=8):
    return nn.Sequential(
        nn.Conv2d(c_in, c_out, k, s, k // 2, bias=False), nn.GroupNorm(groups, c_out), nn.LeakyReLU(0.1)
    )


class CSPBlock(nn.Module):
    """Half of the channels go past the bottlenecks."""

    def __init__(self, dim, n=1):
        super().__init__()
        half = dim // 2
        self.main = conv_gn_act(dim, half, 1)
        self.short = conv_gn_act(dim, half, 1)
        self.blocks = nn.Sequential(*[conv_gn_act(half, half) for _ in range(n)])
        self.fuse = conv_gn_act(2 * half, dim, 1)

    def forward(self, x):
        y = self.blocks(self.main(x))
        return self.fuse(torch.cat([y, self.short(x)], dim=1))


class Backbone(nn.Module):
    def __init__(self, widths):
        super().__init__()
        self.stem = conv_gn_act(3, widths[0], s=2)
        self.stages = nn.ModuleList()
        for c_in, c_out in zip(widths[:-1], widths[1:]):
            self.stages.append(nn.Sequential(conv_gn_act(c_in, c_out, s=2), CSPBlock(c_out)))

    def forward(self, x):
        x = self.stem(x)
        features = []
        for stage in self.stages:
            x = stage(x)
            features.append(x)
        return features


class TopDown(nn.Module):
    def __init__(self, widths, dim):
        super().__init__()
        self.lateral = nn.ModuleList([nn.Conv2d(w, dim, 1) for w in widths])
        self.smooth = nn.ModuleList([nn.Conv2d(dim, dim, 3, padding=1) for _ in widths])

    def forward(self, features):
        laterals = [conv(f) for conv, f in zip(self.lateral, features)]
        for i in range(len(laterals) - 1, 0, -1):
            laterals[i - 1] = laterals[i - 1] + F.interpolate(laterals[i], scale_factor=2.0, mode="nearest")
        return [conv(f) for conv, f in zip(self.smooth, laterals)]


class AnchorHead(nn.Module):
    def __init__(self, cfg: DetConfig):
        super().__init__()
        a = cfg.anchors_per_cell
        self.num_classes = cfg.num_classes

        def tower():
            return nn.Sequential(
                *[conv_gn_act(cfg.fpn_dim, cfg.fpn_dim, groups=cfg.groups) for _ in range(cfg.head_convs)]
            )

        self.cls_tower, self.box_tower = tower(), tower()
        self.cls_pred = nn.Conv2d(cfg.fpn_dim, a * cfg.num_classes, 3, padding=1)
        self.box_pred = nn.Conv2d(cfg.fpn_dim, a * 4, 3, padding=1)
        nn.init.constant_(self.cls_pred.bias, -math.log(99))

    def _flat(self, y, k):
        n, _, h, w = y.shape
        return y.view(n, -1, k, h, w).permute(0, 3, 4, 1, 2).reshape(n, -1, k)

    def forward(self, levels):
        logits = [self._flat(self.cls_pred(self.cls_tower(f)), self.num_classes) for f in levels]
        deltas = [self._flat(self.box_pred(self.box_tower(f)), 4) for f in levels]
        return torch.cat(logits, dim=1), torch.cat(deltas, dim=1)


class AnchorDetector(nn.Module):
    def __init__(self, cfg: DetConfig):
        super().__init__()
        self.backbone = Backbone(cfg.widths)
        self.neck = TopDown(cfg.widths[1:], cfg.fpn_dim)
        self.head = AnchorHead(cfg)

    def forward(self, images):
        return self.head(self.neck(self.backbone(images)))

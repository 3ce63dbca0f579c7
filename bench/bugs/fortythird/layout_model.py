from dataclasses import dataclass, field
from typing import Dict, List, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True)
class LayoutConfig:
    classes: Tuple[str, ...] = ("text", "title", "table", "figure")
    page: Tuple[int, int] = (96, 64)
    widths: Tuple[int, ...] = (16, 24, 32)
    fpn_width: int = 32
    norm_groups: int = 8
    ratios: List[float] = field(default_factory=lambda: [0.3, 1.0, 2.0])
    scale: float = 3.0
    low: float = 0.2
    high: float = 0.35


class ConvBlock(nn.Module):
    def __init__(self, c_in: int, c_out: int, groups: int, stride: int = 1):
        super().__init__()
        self.conv = nn.Conv2d(c_in, c_out, 3, stride=stride, padding=1, bias=False)
        self.norm = nn.GroupNorm(groups, c_out)

    def forward(self, x: Tensor) -> Tensor:
        return F.silu(self.norm(self.conv(x)))


class Backbone(nn.Module):
    """Returns the maps of stride 4, 8 and 16."""

    def __init__(self, cfg: LayoutConfig):
        super().__init__()
        self.stem = ConvBlock(1, cfg.widths[0], cfg.norm_groups, stride=2)
        stages = []
        c = cfg.widths[0]
        for width in cfg.widths:
            stages.append(nn.Sequential(
                ConvBlock(c, width, cfg.norm_groups, stride=2),
                ConvBlock(width, width, cfg.norm_groups),
            ))
            c = width
        self.stages = nn.ModuleList(stages)

    def forward(self, x: Tensor) -> List[Tensor]:
        x = self.stem(x)
        maps = []
        for stage in self.stages:
            x = stage(x)
            maps.append(x)
        return maps


class PyramidNeck(nn.Module):
    def __init__(self, cfg: LayoutConfig):
        super().__init__()
        self.lateral = nn.ModuleList(nn.Conv2d(w, cfg.fpn_width, 1) for w in cfg.widths)
        self.smooth = nn.ModuleList(ConvBlock(cfg.fpn_width, cfg.fpn_width, cfg.norm_groups) for _ in cfg.widths)

    def forward(self, maps: List[Tensor]) -> List[Tensor]:
        laterals = [conv(m) for conv, m in zip(self.lateral, maps)]
        top = laterals[-1]
        merged = [top]
        for lateral in reversed(laterals[:-1]):
            top = lateral + F.interpolate(top, scale_factor=2, mode="nearest")
            merged.insert(0, top)
        return [smooth(m) for smooth, m in zip(self.smooth, merged)]


class DetectionHead(nn.Module):
    def __init__(self, cfg: LayoutConfig, outputs: int):
        super().__init__()
        self.outputs = outputs
        self.tower = ConvBlock(cfg.fpn_width, cfg.fpn_width, cfg.norm_groups)
        self.predict = nn.Conv2d(cfg.fpn_width, len(cfg.ratios) * outputs, 3, padding=1)

    def forward(self, maps: List[Tensor]) -> Tensor:
        levels = []
        for m in maps:
            y = self.predict(self.tower(m))
            y = y.permute(0, 2, 3, 1)
            levels.append(y.reshape(y.shape[0], -1, self.outputs))
        return torch.cat(levels, dim=1)


class LayoutDetector(nn.Module):
    strides = [4, 8, 16]

    def __init__(self, cfg: LayoutConfig):
        super().__init__()
        self.cfg = cfg
        self.backbone = Backbone(cfg)
        self.neck = PyramidNeck(cfg)
        self.class_head = DetectionHead(cfg, len(cfg.classes))
        self.box_head = DetectionHead(cfg, 4)

    def forward(self, pages: Tensor) -> Dict[str, object]:
        maps = self.neck(self.backbone(pages))
        return {
            "logits": self.class_head(maps),
            "deltas": self.box_head(maps),
            "shapes": [tuple(m.shape[-2:]) for m in maps],
        }

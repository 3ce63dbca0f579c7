"""Boxes that predictions are relative to."""

import torch


def grid_anchors(size, scale, ratios):
    """All boxes of a map, as centre and size: [size * size * ratios, 4]"""
    steps = (torch.arange(size) + 0.5) / size
    cy, cx = torch.meshgrid(steps, steps, indexing="ij")
    centres = torch.stack([cx, cy], dim=-1).view(-1, 1, 2)
    shapes = torch.tensor([[scale * r**0.5, scale / r**0.5] for r in ratios])
    centres = centres.expand(-1, len(ratios), -1)
    shapes = shapes.unsqueeze(0).expand(centres.size(0), -1, -1)
    return torch.cat([centres, shapes], dim=-1).view(-1, 4)


def to_corners(boxes):
    return torch.cat([boxes[..., :2] - boxes[..., 2:] / 2, boxes[..., :2] + boxes[..., 2:] / 2], dim=-1)


def iou(a, b):
    """[n, 4] and [m, 4] as corners -> [n, m]"""
    low = torch.max(a[:, None, :2], b[None, :, :2])
    high = torch.min(a[:, None, 2:], b[None, :, 2:])
    inter = (high - low).clamp(min=0).prod(dim=-1)
    area_a = (a[:, 2:] - a[:, :2]).prod(dim=-1)
    area_b = (b[:, 2:] - b[:, :2]).prod(dim=-1)
    return inter / (area_a[:, None] + area_b[None, :] - inter)


def encode(matched, anchors):
    centre = (matched[:, :2] - anchors[:, :2]) / anchors[:, 2:]
    size = torch.log(matched[:, 2:] / anchors[:, 2:])
    return torch.cat([centre, size], dim=1)

from typing import List, Tuple

import torch
from torch import Tensor


def make_anchors(shapes: List[Tuple[int, int]], strides: List[int], scale: float, ratios: List[float]) -> Tensor:
    """All anchors of all levels, [N, 4] as x1 y1 x2 y2, in the order in which the heads give their cells."""
    levels = []
    for (h, w), stride in zip(shapes, strides):
        ys = (torch.arange(h) + 0.5) * stride
        xs = (torch.arange(w) + 0.5) * stride
        cy, cx = torch.meshgrid(ys, xs, indexing="ij")
        centers = torch.stack([cx, cy], dim=-1).view(-1, 1, 2)
        r = torch.tensor(ratios).sqrt()
        half = 0.5 * scale * stride * torch.stack([1 / r, r], dim=-1)
        levels.append(torch.cat([centers - half, centers + half], dim=-1).reshape(-1, 4))
    return torch.cat(levels)


def box_iou(a: Tensor, b: Tensor) -> Tensor:
    """[N, 4] and [M, 4] -> [N, M]"""
    top_left = torch.maximum(a[:, None, :2], b[None, :, :2])
    bottom_right = torch.minimum(a[:, None, 2:], b[None, :, 2:])
    inter = (bottom_right - top_left).clamp(min=0).prod(dim=-1)
    area_a = (a[:, 2:] - a[:, :2]).prod(dim=-1)
    area_b = (b[:, 2:] - b[:, :2]).prod(dim=-1)
    return inter / (area_a[:, None] + area_b - inter).clamp(min=1e-6)


def encode(boxes: Tensor, anchors: Tensor) -> Tensor:
    size = anchors[:, 2:] - anchors[:, :2]
    center = (anchors[:, 2:] + anchors[:, :2]) / 2
    box_size = boxes[:, 2:] - boxes[:, :2]
    box_center = (boxes[:, 2:] + boxes[:, :2]) / 2
    return torch.cat([(box_center - center) / size, (box_size / size).log()], dim=1)


def decode(deltas: Tensor, anchors: Tensor) -> Tensor:
    size = anchors[:, 2:] - anchors[:, :2]
    center = (anchors[:, 2:] + anchors[:, :2]) / 2
    shift, grow = deltas.chunk(2, dim=-1)
    c = center + shift * size
    half = size * grow.clamp(max=4).exp() / 2
    return torch.cat([c - half, c + half], dim=-1)


def match(boxes: Tensor, labels: Tensor, anchors: Tensor, low: float, high: float) -> Tuple[Tensor, Tensor]:
    """For each anchor: its class (0 is background, -1 is ignored) and the box it belongs to."""
    iou = box_iou(anchors, boxes)
    best, index = iou.max(dim=1)
    classes = labels[index].clone()
    classes[best < high] = -1
    classes[best < low] = 0
    forced = iou.argmax(dim=0)
    classes[forced] = labels
    return classes, boxes[index]


def nms(boxes: Tensor, scores: Tensor, threshold: float) -> Tensor:
    order = scores.argsort(descending=True)
    keep = []
    while order.numel() > 0:
        first = order[0]
        keep.append(first)
        overlap = box_iou(boxes[first].unsqueeze(0), boxes[order[1:]])[0]
        order = order[1:][overlap <= threshold]
    return torch.stack(keep)

"""Targets of each level, and the loss."""

import torch
import torch.nn.functional as F
from torch import nn


def shape_iou(a, b):
    """Of boxes with a common centre: [N, 2] and [A, 2] to [N, A]."""
    inter = torch.min(a[:, None], b[None]).prod(dim=-1)
    return inter / (a.prod(dim=-1)[:, None] + b.prod(dim=-1)[None] - inter)


class DetectionLoss(nn.Module):
    def __init__(self, config, box_weight=5.0):
        super().__init__()
        self.config = config
        self.box_weight = box_weight
        self.bce = nn.BCEWithLogitsLoss()

    def build(self, out, targets, anchors, stride):
        """`targets` are rows of (image, class, x, y, w, h) in pixels."""
        image, label = targets[:, 0].long(), targets[:, 1].long()
        best = shape_iou(targets[:, 4:6], anchors).argmax(dim=1)
        centre = targets[:, 2:4] / stride
        cell = centre.long()
        column, row = cell.unbind(dim=1)
        offset = centre - cell
        size = torch.log(targets[:, 4:6] / anchors[best])
        return (image, best, row, column), torch.cat([offset, size], dim=1), label

    def forward(self, outputs, targets, all_anchors):
        total = 0.0
        for out, anchors, stride in zip(outputs, all_anchors, self.config.strides):
            place, boxes, label = self.build(out, targets, anchors, stride)
            chosen = out[place]
            objectness = torch.zeros_like(out[..., 4])
            objectness[place] = 1.0
            xy = chosen[:, :2].sigmoid()
            box_loss = F.mse_loss(xy, boxes[:, :2]) + F.mse_loss(chosen[:, 2:4], boxes[:, 2:])
            class_loss = F.cross_entropy(chosen[:, 5:], label)
            total = total + self.box_weight * box_loss + class_loss + self.bce(out[..., 4], objectness)
        return total

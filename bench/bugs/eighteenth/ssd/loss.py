"""What each anchor ought to say, and how far it is from it; hard negatives only."""

import torch
import torch.nn as nn
import torch.nn.functional as F

from ssd.anchors import encode, iou, to_corners


class MultiBoxLoss(nn.Module):
    def __init__(self, anchors, threshold=0.5, negatives=3):
        super().__init__()
        self.register_buffer("anchors", anchors)
        self.threshold, self.negatives = threshold, negatives

    def match(self, boxes, labels):
        overlap = iou(to_corners(boxes), to_corners(self.anchors))
        best, owner = overlap.max(dim=0)
        target = labels[owner] + 1
        target = torch.where(best < self.threshold, torch.zeros_like(target), target)
        return encode(boxes[owner], self.anchors), target

    def forward(self, boxes, scores, truths):
        pairs = [self.match(b, c) for b, c in truths]
        offsets = torch.stack([one for one, _ in pairs])
        classes = torch.stack([one for _, one in pairs])
        positive = classes > 0
        count = positive.sum(dim=1, keepdim=True)
        local = F.smooth_l1_loss(boxes, offsets, reduction="none").sum(dim=-1)
        local = (local * positive).sum()
        each = F.cross_entropy(scores.transpose(1, 2), classes, reduction="none")
        hard = each.masked_fill(positive, 0)
        rank = hard.argsort(dim=1, descending=True).argsort(dim=1)
        negative = rank < (self.negatives * count).clamp(max=hard.size(1) - 1)
        conf = (each * (positive | negative)).sum()
        return (local + conf) / count.sum().clamp(min=1)

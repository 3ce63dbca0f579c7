import argparse

import torch
import torch.nn.functional as F
from anchordet.anchors import decode, make_anchors, pairwise_iou
from anchordet.config import DetConfig
from anchordet.network import AnchorDetector


def focal_loss(logits, targets, alpha=0.25, gamma=2.0):
    ce = F.binary_cross_entropy_with_logits(logits, targets, reduction="none")
    p = torch.sigmoid(logits)
    pt = p * targets + (1 - p) * (1 - targets)
    at = alpha * targets + (1 - alpha) * (1 - targets)
    return (at * (1 - pt) ** gamma * ce).sum()


def detection_loss(logits, deltas, anchors, boxes, labels, num_classes):
    """boxes: (N, M, 4) xyxy, labels: (N, M)"""
    xyxy = torch.cat([anchors[:, :2] - anchors[:, 2:] / 2, anchors[:, :2] + anchors[:, 2:] / 2], dim=1)
    total = logits.new_zeros(())
    for i in range(logits.size(0)):
        iou = pairwise_iou(xyxy, boxes[i])
        best, owner = iou.max(dim=1)
        positive = best > 0.3
        target = F.one_hot(labels[i][owner], num_classes).float() * positive.unsqueeze(1)
        cls = focal_loss(logits[i], target)
        predicted = decode(deltas[i], anchors)
        gap = F.smooth_l1_loss(predicted, boxes[i][owner], reduction="none").sum(-1)
        total = total + (cls + (gap * positive).sum()) / positive.sum().clamp(min=1)
    return total / logits.size(0)


def toy_batch(cfg, n=2, m=3):
    xy = torch.rand(n, m, 2) * cfg.image_size / 2
    wh = torch.rand(n, m, 2) * cfg.image_size / 2 + 4
    return (
        torch.rand(n, 3, cfg.image_size, cfg.image_size),
        torch.cat([xy, xy + wh], -1),
        torch.randint(cfg.num_classes, (n, m)),
    )


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=1)
    args = parser.parse_args(argv)
    cfg = DetConfig()
    model = AnchorDetector(cfg)
    anchors = make_anchors(cfg)
    opt = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    for _ in range(args.steps):
        images, boxes, labels = toy_batch(cfg)
        logits, deltas = model(images)
        loss = detection_loss(logits, deltas, anchors, boxes, labels, cfg.num_classes)
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()

"""Boxes in pictures: a small backbone, a pyramid of features, one head for all levels, anchors and a loss."""

import torch
from torch import nn
from torch.nn import functional as F


def conv_bn(cin, cout, k=3, s=1):
    return nn.Sequential(nn.Conv2d(cin, cout, k, s, k // 2, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True))


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = conv_bn(3, 16, 7, 2)
        self.stage1 = nn.Sequential(conv_bn(16, 32, s=2), conv_bn(32, 32))
        self.stage2 = nn.Sequential(conv_bn(32, 48, s=2), conv_bn(48, 48))
        self.stage3 = nn.Sequential(conv_bn(48, 80, s=2), conv_bn(80, 80))

    def forward(self, x):
        c2 = self.stage1(self.stem(x))
        c3 = self.stage2(c2)
        c4 = self.stage3(c3)
        return c2, c3, c4


class FPN(nn.Module):
    def __init__(self, in_channels_list, out_channels):
        super().__init__()
        self.inner = nn.ModuleList([nn.Conv2d(c, out_channels, 1) for c in in_channels_list])
        self.layer = nn.ModuleList([nn.Conv2d(out_channels, out_channels, 3, padding=1) for _ in in_channels_list])

    def forward(self, features):
        last = self.inner[-1](features[-1])
        results = [self.layer[-1](last)]
        for i in range(len(features) - 2, -1, -1):
            lateral = self.inner[i](features[i])
            last = lateral + F.interpolate(last, size=lateral.shape[-2:], mode="nearest")
            results.insert(0, self.layer[i](last))
        return results


class Head(nn.Module):
    def __init__(self, channels, num_anchors, num_classes):
        super().__init__()
        self.num_classes = num_classes
        self.tower = nn.Sequential(conv_bn(channels, channels), conv_bn(channels, channels))
        self.cls_logits = nn.Conv2d(channels, num_anchors * num_classes, 3, padding=1)
        self.bbox_pred = nn.Conv2d(channels, num_anchors * 4, 3, padding=1)

    def forward(self, features):
        classes, boxes = [], []
        for f in features:
            t = self.tower(f)
            n = f.shape[0]
            classes.append(self.cls_logits(t).permute(0, 2, 3, 1).reshape(n, -1, self.num_classes))
            boxes.append(self.bbox_pred(t).permute(0, 2, 3, 1).reshape(n, -1, 4))
        return torch.cat(classes, dim=1), torch.cat(boxes, dim=1)


def grid_anchors(features, image_size, scales=(1.0, 1.6)):
    anchors = []
    for f in features:
        h, w = f.shape[-2:]
        step = image_size / h
        ys, xs = torch.meshgrid(torch.arange(h) * step, torch.arange(w) * step, indexing="ij")
        centers = torch.stack([xs, ys], dim=-1).reshape(-1, 1, 2)
        sizes = torch.tensor([[step * s, step * s] for s in scales]).expand(h * w, -1, -1)
        anchors.append(torch.cat([centers.expand(-1, len(scales), -1), sizes], dim=-1).reshape(-1, 4))
    return torch.cat(anchors)


class Detector(nn.Module):
    def __init__(self, num_classes=5, channels=40, num_anchors=2):
        super().__init__()
        self.backbone = Backbone()
        self.fpn = FPN([32, 48, 80], channels)
        self.head = Head(channels, num_anchors, num_classes)

    def forward(self, images, labels, boxes):
        features = self.fpn(self.backbone(images))
        logits, deltas = self.head(features)
        anchors = grid_anchors(features, images.shape[-1])
        centers = anchors[:, :2] + deltas[..., :2] * anchors[:, 2:]
        sizes = anchors[:, 2:] * deltas[..., 2:].exp()
        decoded = torch.cat([centers, sizes], dim=-1)
        cls_loss = F.cross_entropy(logits.transpose(1, 2), labels)
        box_loss = F.smooth_l1_loss(decoded, boxes)
        return cls_loss + box_loss


if __name__ == "__main__":
    count = 2 * (16 * 16 + 8 * 8 + 4 * 4)
    net = Detector()
    net(torch.randn(2, 3, 64, 64), torch.randint(0, 5, (2, count)), torch.rand(2, count, 4))

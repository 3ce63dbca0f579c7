"""Boxes in pictures: a small backbone, a feature pyramid, heads shared by its levels, focal loss."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, inplanes, planes, stride=1, downsample=None):
        super().__init__()
        self.conv1 = nn.Conv2d(inplanes, planes, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, 3, stride=stride, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.conv3 = nn.Conv2d(planes, planes * self.expansion, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(planes * self.expansion)
        self.downsample = downsample

    def forward(self, x):
        identity = x
        out = F.relu(self.bn1(self.conv1(x)))
        out = F.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return F.relu(out)


class Backbone(nn.Module):
    def __init__(self, layers=(1, 1, 1)):
        super().__init__()
        self.inplanes = 16
        self.stem = nn.Sequential(
            nn.Conv2d(3, 16, 7, stride=2, padding=3, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(3, 2, 1)
        )
        self.layer1 = self._make_layer(16, layers[0], 1)
        self.layer2 = self._make_layer(32, layers[1], 2)
        self.layer3 = self._make_layer(64, layers[2], 2)

    def _make_layer(self, planes, blocks, stride):
        downsample = None
        if stride != 1 or self.inplanes != planes * Bottleneck.expansion:
            downsample = nn.Sequential(
                nn.Conv2d(self.inplanes, planes * Bottleneck.expansion, 1, stride=stride, bias=False),
                nn.BatchNorm2d(planes * Bottleneck.expansion),
            )
        layers = [Bottleneck(self.inplanes, planes, stride, downsample)]
        self.inplanes = planes * Bottleneck.expansion
        for _ in range(1, blocks):
            layers.append(Bottleneck(self.inplanes, planes))
        return nn.Sequential(*layers)

    def forward(self, x):
        c2 = self.layer1(self.stem(x))
        c3 = self.layer2(c2)
        c4 = self.layer3(c3)
        return c2, c3, c4


class FPN(nn.Module):
    def __init__(self, in_channels, out_channels=64):
        super().__init__()
        self.lateral = nn.ModuleList([nn.Conv2d(c, out_channels, 1) for c in in_channels])
        self.smooth = nn.ModuleList([nn.Conv2d(out_channels, out_channels, 3, padding=1) for _ in in_channels])

    def forward(self, features):
        maps = [conv(f) for conv, f in zip(self.lateral, features)]
        for i in range(len(maps) - 1, 0, -1):
            maps[i - 1] = maps[i - 1] + F.interpolate(maps[i], scale_factor=2, mode="nearest")
        return [conv(m) for conv, m in zip(self.smooth, maps)]


class Head(nn.Module):
    def __init__(self, channels, num_anchors, num_classes):
        super().__init__()
        self.num_classes = num_classes
        self.tower = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.GroupNorm(8, channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.GroupNorm(8, channels),
            nn.ReLU(),
        )
        self.cls = nn.Conv2d(channels, num_anchors * num_classes, 3, padding=1)
        self.box = nn.Conv2d(channels, num_anchors * 4, 3, padding=1)
        nn.init.constant_(self.cls.bias, -math.log(99))

    def forward(self, x):
        x = self.tower(x)
        n = x.shape[0]
        cls = self.cls(x).permute(0, 2, 3, 1).reshape(n, -1, self.num_classes)
        box = self.box(x).permute(0, 2, 3, 1).reshape(n, -1, 4)
        return cls, box


def grid_anchors(maps, image_size, sizes, ratios):
    anchors = []
    for fmap, size in zip(maps, sizes):
        h, w = fmap.shape[-2:]
        stride = image_size // h
        ys = (torch.arange(h) + 0.5) * stride
        xs = (torch.arange(w) + 0.5) * stride
        cy, cx = torch.meshgrid(ys, xs, indexing="ij")
        wh = torch.tensor([[size * math.sqrt(r), size / math.sqrt(r)] for r in ratios])
        centers = torch.stack([cx, cy], dim=-1).reshape(-1, 1, 2).expand(-1, len(ratios), -1)
        wh = wh.expand(h * w, -1, -1)
        anchors.append(torch.cat([centers, wh], dim=-1).reshape(-1, 4))
    return torch.cat(anchors)


class RetinaNet(nn.Module):
    sizes, ratios = (16, 32, 64), (0.5, 1.0, 2.0)

    def __init__(self, num_classes=5, channels=64):
        super().__init__()
        self.backbone = Backbone()
        self.fpn = FPN([64, 128, 256], channels)
        self.head = Head(channels, len(self.ratios), num_classes)

    def forward(self, images):
        maps = self.fpn(self.backbone(images))
        outs = [self.head(m) for m in maps]
        cls = torch.cat([c for c, _ in outs], dim=1)
        box = torch.cat([b for _, b in outs], dim=1)
        return cls, box, grid_anchors(maps, images.shape[-1], self.sizes, self.ratios)


def decode(deltas, anchors):
    xy = anchors[:, :2] + deltas[..., :2] * anchors[:, 2:]
    wh = anchors[:, 2:] * deltas[..., 2:].clamp(max=4.0).exp()
    return torch.cat([xy - wh / 2, xy + wh / 2], dim=-1)


def iou(a, b):
    lt = torch.maximum(a[:, None, :2], b[None, :, :2])
    rb = torch.minimum(a[:, None, 2:], b[None, :, 2:])
    inter = (rb - lt).clamp(min=0).prod(dim=-1)
    area_a = (a[:, 2:] - a[:, :2]).prod(dim=-1)
    area_b = (b[:, 2:] - b[:, :2]).prod(dim=-1)
    return inter / (area_a[:, None] + area_b[None, :] - inter)


def focal_loss(logits, targets, alpha=0.25, gamma=2.0):
    ce = F.binary_cross_entropy_with_logits(logits, targets, reduction="none")
    p = torch.sigmoid(logits)
    p_t = p * targets + (1 - p) * (1 - targets)
    return (alpha * (1 - p_t) ** gamma * ce).sum()


def loss_of(model, images, boxes, labels):
    cls, deltas, anchors = model(images)
    pred = decode(deltas, anchors)
    loss = 0.0
    for i in range(images.size(0)):
        corners = torch.cat([anchors[:, :2] - anchors[:, 2:] / 2, anchors[:, :2] + anchors[:, 2:] / 2], dim=1)
        best, which = iou(corners, boxes[i]).max(dim=1)
        onehot = F.one_hot(labels[i][which], model.head.num_classes).float()
        loss = loss + focal_loss(cls[i], onehot * (best > 0.4).float()[:, None])
        per_anchor = F.smooth_l1_loss(pred[i], boxes[i][which], reduction="none").sum(dim=1)
        loss = loss + (per_anchor * (best > 0.4).float()).mean()
    return loss


if __name__ == "__main__":
    model = RetinaNet(num_classes=5)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for step in range(2):
        images = torch.rand(2, 3, 128, 128)
        corner = torch.rand(2, 6, 2) * 64
        boxes = torch.cat([corner, corner + 40], dim=-1)
        labels = torch.randint(0, 5, (2, 6))
        loss = loss_of(model, images, boxes, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, float(loss))

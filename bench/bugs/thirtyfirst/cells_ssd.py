"""Finds cells: an SSD head on a small backbone, with its loss."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = self._stage(3, 32)
        self.c2 = self._stage(32, 64)
        self.c3 = self._stage(64, 128)
        self.c4 = self._stage(128, 256)

    @staticmethod
    def _stage(cin, cout):
        return nn.Sequential(nn.Conv2d(cin, cout, 3, 2, 1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True))

    def forward(self, x):
        x = self.c2(self.c1(x))
        c3 = self.c3(x)
        c4 = self.c4(c3)
        return [c3, c4]


class SSDHead(nn.Module):
    def __init__(self, in_channels, num_anchors, num_classes):
        super().__init__()
        self.num_classes = num_classes
        pairs = list(zip(in_channels, num_anchors))
        self.cls = nn.ModuleList([nn.Conv2d(c, a * num_classes, 3, padding=1) for c, a in pairs])
        self.reg = nn.ModuleList([nn.Conv2d(c, a * 4, 3, padding=1) for c, a in pairs])

    def _flat(self, x, last):
        return x.permute(0, 2, 3, 1).reshape(x.size(0), -1, last)

    def forward(self, features):
        cls = torch.cat([self._flat(m(f), self.num_classes) for m, f in zip(self.cls, features)], dim=1)
        reg = torch.cat([self._flat(m(f), 4) for m, f in zip(self.reg, features)], dim=1)
        return {"cls": cls, "reg": reg}


def make_anchors(size, strides, scales):
    anchors = []
    for stride, own in zip(strides, scales):
        n = size // stride
        ys, xs = torch.meshgrid(torch.arange(n), torch.arange(n), indexing="ij")
        centers = (torch.stack([xs, ys], dim=-1).reshape(-1, 1, 2) + 0.5) * stride
        sizes = torch.tensor(own, dtype=torch.float)[:, None].expand(-1, 2)
        boxes = torch.cat([centers - sizes / 2, centers + sizes / 2], dim=-1)
        anchors.append(boxes.reshape(-1, 4))
    return torch.cat(anchors)


def decode(reg, anchors):
    wh = anchors[:, 2:] - anchors[:, :2]
    center = anchors[:, :2] + wh / 2
    new_center = center + reg[..., :2] * wh
    new_wh = wh * reg[..., 2:].exp()
    return torch.cat([new_center - new_wh / 2, new_center + new_wh / 2], dim=-1)


class CellDetector(nn.Module):
    def __init__(self, size=128, num_classes=4):
        super().__init__()
        self.backbone = Backbone()
        scales = ((16.0, 24.0, 32.0), (48.0, 64.0))
        self.head = SSDHead([128, 256], [len(s) for s in scales], num_classes)
        self.register_buffer("anchors", make_anchors(size, (8, 16), scales))

    def forward(self, images):
        out = self.head(self.backbone(images))
        out["boxes"] = decode(out["reg"], self.anchors)
        return out


def ssd_loss(out, target):
    cls_loss = F.cross_entropy(out["cls"].transpose(1, 2), target["labels"], reduction="none")
    positive = target["labels"] > 0
    reg_loss = F.smooth_l1_loss(out["boxes"][positive], target["boxes"][positive])
    return cls_loss.mean() + reg_loss


def main():
    model = CellDetector()
    opt = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
    images = torch.randn(4, 3, 128, 128)
    total = model.anchors.size(0)
    target = {"labels": torch.randint(0, 4, (4, total)), "boxes": torch.rand(4, total, 4) * 128}
    for _ in range(2):
        loss = ssd_loss(model(images), target)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(loss.item())


if __name__ == "__main__":
    main()

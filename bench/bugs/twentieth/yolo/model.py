"""A one-stage detector with anchors at two levels."""

import torch
from torch import nn


def conv(c_in, c_out, k=3, stride=1):
    return nn.Sequential(
        nn.Conv2d(c_in, c_out, k, stride, k // 2, bias=False),
        nn.BatchNorm2d(c_out),
        nn.LeakyReLU(0.1, inplace=True),
    )


class CSPBlock(nn.Module):
    """Half of the channels go through the residual path, the other half past it."""

    def __init__(self, channels, repeats=1):
        super().__init__()
        hidden = channels // 2
        self.main = conv(channels, hidden, 1)
        self.short = conv(channels, hidden, 1)
        self.blocks = nn.ModuleList(
            [nn.Sequential(conv(hidden, hidden, 1), conv(hidden, hidden)) for _ in range(repeats)]
        )
        self.merge = conv(hidden * 2, channels, 1)

    def forward(self, x):
        y = self.main(x)
        for block in self.blocks:
            y = y + block(y)
        return self.merge(torch.cat([y, self.short(x)], dim=1))


class SPP(nn.Module):
    def __init__(self, channels, sizes=(3, 5, 7)):
        super().__init__()
        hidden = channels // 2
        self.reduce = conv(channels, hidden, 1)
        self.pools = nn.ModuleList([nn.MaxPool2d(s, stride=1, padding=s // 2) for s in sizes])
        self.expand = conv(hidden * (len(sizes) + 1), channels, 1)

    def forward(self, x):
        x = self.reduce(x)
        return self.expand(torch.cat([x] + [pool(x) for pool in self.pools], dim=1))


class Backbone(nn.Module):
    def __init__(self, widths):
        super().__init__()
        self.stem = conv(3, widths[0], stride=2)
        self.stage1 = nn.Sequential(conv(widths[0], widths[1], stride=2), CSPBlock(widths[1]))
        self.stage2 = nn.Sequential(conv(widths[1], widths[2], stride=2), CSPBlock(widths[2], 2))
        self.stage3 = nn.Sequential(conv(widths[2], widths[3], stride=2), SPP(widths[3]))

    def forward(self, x):
        x = self.stage1(self.stem(x))
        c3 = self.stage2(x)
        c4 = self.stage3(c3)
        return c3, c4


class Neck(nn.Module):
    def __init__(self, c3, c4, dim):
        super().__init__()
        self.lateral3 = conv(c3, dim, 1)
        self.lateral4 = conv(c4, dim, 1)
        self.up = nn.Upsample(scale_factor=2)
        self.fuse3 = conv(dim * 2, dim)
        self.down = conv(dim, dim, stride=2)
        self.fuse4 = conv(dim * 2, dim)

    def forward(self, c3, c4):
        p4 = self.lateral4(c4)
        p3 = self.fuse3(torch.cat([self.lateral3(c3), self.up(p4)], dim=1))
        p4 = self.fuse4(torch.cat([self.down(p3), p4], dim=1))
        return p3, p4


class Detector(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.backbone = Backbone(config.widths)
        self.neck = Neck(config.widths[2], config.widths[3], config.neck_dim)
        self.heads = nn.ModuleList([nn.Conv2d(config.neck_dim, config.outputs, 1) for _ in config.strides])
        self.register_buffer("anchors", torch.tensor(config.anchors, dtype=torch.float))

    def forward(self, images):
        features = self.neck(*self.backbone(images))
        outputs = []
        for head, feature in zip(self.heads, features):
            out = head(feature)
            b, _, h, w = out.shape
            out = out.view(b, self.config.anchors_per_level, 5 + self.config.num_classes, h, w)
            outputs.append(out.permute(0, 1, 3, 4, 2))
        return outputs

    def decode(self, outputs):
        """All boxes as centre and size in pixels, with the scores of their classes."""
        boxes, scores = [], []
        for out, anchors, stride in zip(outputs, self.anchors, self.config.strides):
            h, w = out.shape[2:4]
            ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
            grid = torch.stack([xs, ys], dim=-1).to(out.device)
            centre = (out[..., 0:2].sigmoid() + grid) * stride
            size = out[..., 2:4].exp() * anchors[:, None, None]
            score = out[..., 4:5].sigmoid() * out[..., 5:].sigmoid()
            boxes.append(torch.cat([centre, size], dim=-1).flatten(1, 3))
            scores.append(score.flatten(1, 3))
        return torch.cat(boxes, dim=1), torch.cat(scores, dim=1)

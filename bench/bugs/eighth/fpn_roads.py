"""Roads in pictures from above: a residual network with a feature pyramid."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def conv_bn(in_ch, out_ch, k=3, s=1):
    return nn.Sequential(nn.Conv2d(in_ch, out_ch, k, s, k // 2, bias=False), nn.BatchNorm2d(out_ch))


class Bottleneck(nn.Module):
    expansion = 2

    def __init__(self, in_planes, planes, stride=1):
        super().__init__()
        out_planes = planes * self.expansion
        self.reduce = conv_bn(in_planes, planes, 1)
        self.conv = conv_bn(planes, planes, 3, stride)
        self.expand = conv_bn(planes, out_planes, 1)
        self.shortcut = nn.Identity()
        if stride != 1 or in_planes != out_planes:
            self.shortcut = conv_bn(in_planes, out_planes, 1, stride)

    def forward(self, x):
        out = F.relu(self.reduce(x))
        out = F.relu(self.conv(out))
        return F.relu(self.expand(out) + self.shortcut(x))


class Backbone(nn.Module):
    def __init__(self, settings):
        super().__init__()
        self.in_planes = settings["stem"]
        self.stem = nn.Sequential(conv_bn(3, settings["stem"], 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        self.stages = nn.ModuleList()
        for planes, blocks, stride in zip(settings["planes"], settings["blocks"], [1, 2, 2]):
            self.stages.append(self._make_stage(planes, blocks, stride))

    def _make_stage(self, planes, blocks, stride):
        layers = []
        for i in range(blocks):
            layers.append(Bottleneck(self.in_planes, planes, stride if i == 0 else 1))
            self.in_planes = planes * Bottleneck.expansion
        return nn.Sequential(*layers)

    def forward(self, x):
        x = self.stem(x)
        features = []
        for stage in self.stages:
            x = stage(x)
            features.append(x)
        return features


class Pyramid(nn.Module):
    def __init__(self, in_channels_list, out_channels):
        super().__init__()
        self.inner = nn.ModuleList([nn.Conv2d(c, out_channels, 1) for c in in_channels_list])
        self.smooth = nn.ModuleList([nn.Conv2d(out_channels, out_channels, 3, padding=1) for _ in in_channels_list])

    def forward(self, features):
        last = self.inner[-1](features[-1])
        results = [self.smooth[-1](last)]
        for i in range(len(features) - 2, -1, -1):
            lateral = self.inner[i](features[i])
            last = lateral + F.interpolate(last, size=lateral.shape[-2:], mode="nearest")
            results.insert(0, self.smooth[i](last))
        return results


class ScaleBlock(nn.Module):
    def __init__(self, channels, reduction=4):
        super().__init__()
        self.fc = nn.Sequential(
            nn.Linear(channels, channels // reduction),
            nn.ReLU(),
            nn.Linear(channels // reduction, channels),
            nn.Sigmoid(),
        )

    def forward(self, x):
        b, c, _, _ = x.size()
        w = F.adaptive_avg_pool2d(x, 1).view(b, c)
        return x * self.fc(w).view(b, c, 1, 1)


class RoadNet(nn.Module):
    def __init__(self, settings):
        super().__init__()
        width = settings["pyramid"]
        self.backbone = Backbone(settings)
        widths = [p * Bottleneck.expansion for p in settings["planes"]]
        self.pyramid = Pyramid(widths, width)
        self.attend = ScaleBlock(width * len(widths))
        self.fuse = conv_bn(width * len(widths), width, 3)
        self.head = nn.Conv2d(width, settings["classes"], 1)
        self.edges = nn.Sequential(nn.Conv2d(width, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 1))

    def forward(self, image):
        levels = self.pyramid(self.backbone(image))
        size = levels[0].shape[-2:]
        levels = [F.interpolate(level, size=size, mode="bilinear", align_corners=False) for level in levels]
        x = F.relu(self.fuse(self.attend(torch.cat(levels, dim=1))))
        masks = F.interpolate(self.head(x), size=image.shape[-2:], mode="bilinear", align_corners=False)
        edges = F.interpolate(self.edges(x), scale_factor=4)
        return masks, edges.squeeze(1)


def loss_of(model, image, target, boundary):
    masks, edges = model(image)
    return F.cross_entropy(masks, target) + F.binary_cross_entropy_with_logits(edges, boundary)


if __name__ == "__main__":
    SETTINGS = {"stem": 16, "planes": [8, 16, 24], "blocks": [1, 2, 1], "pyramid": 20, "classes": 4}
    net = RoadNet(SETTINGS)
    image = torch.randn(2, 3, 96, 128)
    target = torch.randint(0, 4, (2, 96, 128))
    boundary = torch.rand(2, 96, 128)
    loss = loss_of(net, image, target, boundary)
    loss.backward()

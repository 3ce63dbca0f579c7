"""A wide residual network for small images (Zagoruyko 2016), with group norms and squeeze-and-excitation."""

import torch
from torch import nn


def conv3x3(in_planes, out_planes, stride=1, groups=1):
    return nn.Conv2d(in_planes, out_planes, kernel_size=3, stride=stride, padding=1, groups=groups, bias=False)


class SqueezeExcite(nn.Module):
    def __init__(self, planes, reduction=4):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Sequential(
            nn.Linear(planes, planes // reduction), nn.ReLU(inplace=True), nn.Linear(planes // reduction, planes)
        )

    def forward(self, x):
        b, c, _, _ = x.shape
        gate = self.fc(self.pool(x).view(b, c)).sigmoid()
        return x * gate.view(b, c, 1, 1)


class Block(nn.Module):
    def __init__(self, in_planes, planes, stride, groups=8):
        super().__init__()
        self.norm1 = nn.GroupNorm(groups, in_planes)
        self.conv1 = conv3x3(in_planes, planes, stride)
        self.norm2 = nn.GroupNorm(groups, planes)
        self.conv2 = conv3x3(planes, planes)
        self.se = SqueezeExcite(planes)
        self.act = nn.ReLU(inplace=True)
        self.short = None
        if stride != 1 or in_planes != planes:
            self.short = nn.Conv2d(in_planes, planes, 1, stride=stride, bias=False)

    def forward(self, x):
        out = self.act(self.norm1(x))
        short = x if self.short is None else self.short(out)
        out = self.conv1(out)
        out = self.conv2(self.act(self.norm2(out)))
        return self.se(out) + short


class WideResNet(nn.Module):
    def __init__(self, depth=10, widen=2, num_classes=100):
        super().__init__()
        n = (depth - 4) // 6
        widths = [16 * widen, 32 * widen, 64 * widen]
        self.register_buffer("mean", torch.tensor([0.49, 0.48, 0.44]).view(1, 3, 1, 1))
        self.stem = conv3x3(3, 16)
        self.layer1 = self._make(16, widths[0], n, 1)
        self.layer2 = self._make(widths[0], widths[1], n, 2)
        self.layer3 = self._make(widths[1], widths[2], n, 2)
        self.norm = nn.GroupNorm(8, widths[2])
        self.head = nn.Sequential(
            nn.AvgPool2d(4), nn.Flatten(), nn.Linear(widths[2] * 2 * 2, 128), nn.ReLU(), nn.Linear(128, num_classes)
        )

    def _make(self, in_planes, planes, n, stride):
        layers = []
        for i in range(n):
            layers.append(Block(in_planes if i == 0 else planes, planes, stride if i == 0 else 1))
        return nn.Sequential(*layers)

    def forward(self, x):
        x = self.stem(x - self.mean)
        x = self.layer3(self.layer2(self.layer1(x)))
        return self.head(torch.relu(self.norm(x)))


if __name__ == "__main__":
    net = WideResNet()
    images = torch.rand(6, 3, 32, 32)
    target = torch.randint(0, 100, (6,))
    logits = net(images)
    loss = nn.functional.cross_entropy(logits, target)
    loss.backward()

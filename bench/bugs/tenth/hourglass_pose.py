"""Joints of people: stacked hourglasses that give heatmaps one after the other."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Residual(nn.Module):
    def __init__(self, inp, out):
        super().__init__()
        mid = out // 2
        self.bn1, self.conv1 = nn.BatchNorm2d(inp), nn.Conv2d(inp, mid, 1)
        self.bn2, self.conv2 = nn.BatchNorm2d(mid), nn.Conv2d(mid, mid, 3, padding=1)
        self.bn3, self.conv3 = nn.BatchNorm2d(mid), nn.Conv2d(mid, out, 1)
        self.need_skip = inp != out
        self.skip = nn.Conv2d(inp, out, 1)

    def forward(self, x):
        residual = self.skip(x) if self.need_skip else x
        out = self.conv1(F.relu(self.bn1(x)))
        out = self.conv2(F.relu(self.bn2(out)))
        out = self.conv3(F.relu(self.bn3(out)))
        return out + residual


class Hourglass(nn.Module):
    def __init__(self, depth, width, increase=8):
        super().__init__()
        wider = width + increase
        self.up1 = Residual(width, width)
        self.low1 = Residual(width, wider)
        self.low2 = Hourglass(depth - 1, wider) if depth > 1 else Residual(wider, wider)
        self.low3 = Residual(wider, width)

    def forward(self, x):
        up = self.up1(x)
        low = self.low1(F.max_pool2d(x, 2))
        low = self.low3(self.low2(low))
        return up + F.interpolate(low, scale_factor=2)


class PoseNet(nn.Module):
    def __init__(self, stacks=2, width=24, joints=9):
        super().__init__()
        self.pre = nn.Sequential(
            nn.Conv2d(3, 12, 7, stride=2, padding=3),
            nn.BatchNorm2d(12),
            nn.ReLU(),
            nn.MaxPool2d(2),
            Residual(12, width),
        )
        self.hourglasses = nn.ModuleList(Hourglass(2, width) for _ in range(stacks))
        self.features = nn.ModuleList(
            nn.Sequential(Residual(width, width), nn.Conv2d(width, width, 1), nn.ReLU()) for _ in range(stacks)
        )
        self.heads = nn.ModuleList(nn.Conv2d(width, joints, 1) for _ in range(stacks))
        self.merge_features = nn.ModuleList(nn.Conv2d(width, width, 1) for _ in range(stacks - 1))
        self.merge_heads = nn.ModuleList(nn.Conv2d(joints, width, 1) for _ in range(stacks - 1))

    def forward(self, image):
        x = self.pre(image)
        heatmaps = []
        for i, hourglass in enumerate(self.hourglasses):
            feature = self.features[i](hourglass(x))
            heatmaps.append(self.heads[i](feature))
            if i < len(self.hourglasses) - 1:
                x = x + self.merge_features[i](feature) + self.merge_heads[i](heatmaps[-1])
        return torch.stack(heatmaps, dim=1)


def soft_argmax(heatmaps):
    b, s, j, h, w = heatmaps.shape
    probs = heatmaps.flatten(3).softmax(dim=-1).view(b, s, j, h, w)
    ys = (probs.sum(dim=4) * torch.arange(h)).sum(dim=-1)
    xs = (probs.sum(dim=3) * torch.arange(w)).sum(dim=-1)
    return torch.stack([xs, ys], dim=-1)


class PoseLoss(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, image, joints, visible):
        found = soft_argmax(self.net(image))
        error = (found - joints.unsqueeze(1)).abs().sum(dim=-1)
        return (error * visible.unsqueeze(1)).mean()


if __name__ == "__main__":
    loss = PoseLoss(PoseNet())
    loss(torch.randn(2, 3, 64, 96), torch.rand(2, 9, 2) * 16, torch.ones(2, 9))

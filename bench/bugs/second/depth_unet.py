"""Depth and normals from one picture: a U-Net that resizes instead of transposed convolutions."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class DoubleConv(nn.Module):
    """(conv => [BN] => ELU) * 2"""

    def __init__(self, in_channels, out_channels, mid_channels=None):
        super().__init__()
        if not mid_channels:
            mid_channels = out_channels
        self.double_conv = nn.Sequential(
            nn.Conv2d(in_channels, mid_channels, kernel_size=3, padding=1),
            nn.BatchNorm2d(mid_channels),
            nn.ELU(),
            nn.Conv2d(mid_channels, out_channels, kernel_size=3, padding=1),
            nn.BatchNorm2d(out_channels),
            nn.ELU(),
        )

    def forward(self, x):
        return self.double_conv(x)


class Down(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.pool = nn.MaxPool2d(2)
        self.conv = DoubleConv(in_channels, out_channels)

    def forward(self, x):
        return self.conv(self.pool(x))


class Up(nn.Module):
    def __init__(self, in_channels, skip_channels, out_channels):
        super().__init__()
        self.reduce = nn.Conv2d(in_channels, in_channels // 2, kernel_size=1)
        self.conv = DoubleConv(in_channels // 2 + skip_channels, out_channels)

    def forward(self, x, skip):
        x = F.interpolate(self.reduce(x), scale_factor=2, mode="bilinear", align_corners=False)
        dy = skip.size(2) - x.size(2)
        dx = skip.size(3) - x.size(3)
        x = F.pad(x, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])
        return self.conv(torch.cat([skip, x], dim=1))


class DepthUNet(nn.Module):
    def __init__(self, n_channels=3, base=16):
        super().__init__()
        self.inc = DoubleConv(n_channels, base)
        self.down1 = Down(base, base * 2)
        self.down2 = Down(base * 2, base * 4)
        self.down3 = Down(base * 4, base * 8)
        self.up1 = Up(base * 8, base * 4, base * 4)
        self.up2 = Up(base * 4, base * 2, base * 2)
        self.up3 = Up(base * 2, base, base)
        self.depth = nn.Conv2d(base, 1, 3, padding=1)
        self.normals = nn.Conv2d(base, 3, 3, padding=1)
        self.scales = nn.ModuleList([nn.Conv2d(base * m, 1, 1) for m in (4, 2)])

    def forward(self, image):
        x1 = self.inc(image)
        x2 = self.down1(x1)
        x3 = self.down2(x2)
        x4 = self.down3(x3)
        d3 = self.up1(x4, x3)
        d2 = self.up2(d3, x2)
        d1 = self.up3(d2, x1)
        depth = self.depth(d1).sigmoid()
        normals = F.normalize(self.normals(d1), dim=1)
        coarse = [head(d).sigmoid() for head, d in zip(self.scales, (d3, d2))]
        return depth, normals, coarse


def multi_scale_loss(depth, coarse, target):
    loss = F.l1_loss(depth, target)
    for guess in coarse:
        small = F.interpolate(target, size=guess.shape[2:], mode="nearest")
        loss = loss + F.l1_loss(guess, small)
    return loss


class DepthTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = DepthUNet()

    def forward(self, image, target, valid):
        depth, normals, coarse = self.net(image)
        masked = torch.where(valid, depth, target)
        return multi_scale_loss(masked, coarse, target), normals.abs().mean()


if __name__ == "__main__":
    picture = torch.randn(2, 3, 100, 144)
    truth = torch.rand(2, 1, 100, 144)
    DepthTask()(picture, truth, truth > 0.1)

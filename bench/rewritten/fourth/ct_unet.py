"""Small 3-D segmentation net for CT volumes."""
import torch
import torch.nn as nn


def double_conv(cin, cout):
    return nn.Sequential(
        nn.Conv3d(cin, cout, kernel_size=3, padding=1),
        nn.BatchNorm3d(cout),
        nn.LeakyReLU(0.1),
    )


class Down(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.pool = nn.MaxPool3d(2)
        self.conv = double_conv(cin, cout)

    def forward(self, x):
        return self.conv(self.pool(x))


class Up(nn.Module):
    def __init__(self, cin, cskip, cout):
        super().__init__()
        self.up = nn.Upsample(scale_factor=2, mode="trilinear", align_corners=False)
        self.conv = double_conv(cin + cskip, cout)

    def forward(self, x, skip):
        return self.conv(torch.cat([self.up(x), skip], dim=1))


class CTUNet(nn.Module):
    def __init__(self, base=4, classes=3):
        super().__init__()
        self.stem = double_conv(1, base)
        self.down = Down(base, base * 2)
        self.up = Up(base * 2, base, base)
        self.logits = nn.Conv3d(base, classes, 1)

    def forward(self, vol):
        a = self.stem(vol)
        b = self.down(a)
        return self.logits(self.up(b, a))


CTUNet()(torch.randn(2, 1, 8, 8, 8))

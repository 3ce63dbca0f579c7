"""Attention U-Net for segmentation of tissue slides."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class DoubleConv(nn.Module):
    def __init__(self, in_ch, out_ch):
        super().__init__()
        self.block = nn.Sequential(
            nn.Conv2d(in_ch, out_ch, kernel_size=3, padding=1, bias=False),
            nn.GroupNorm(8, out_ch),
            nn.SiLU(),
            nn.Conv2d(out_ch, out_ch, kernel_size=3, padding=1, bias=False),
            nn.GroupNorm(8, out_ch),
            nn.SiLU(),
        )

    def forward(self, x):
        return self.block(x)


class AttentionGate(nn.Module):
    """Weighs the skip connection by the coarser features, which are half as large."""

    def __init__(self, skip_ch, gate_ch, inter_ch):
        super().__init__()
        self.w_skip = nn.Conv2d(skip_ch, inter_ch, kernel_size=2, stride=2, bias=False)
        self.w_gate = nn.Conv2d(gate_ch, inter_ch, kernel_size=1)
        self.psi = nn.Conv2d(inter_ch, 1, kernel_size=1)

    def forward(self, skip, gate):
        a = F.relu(self.w_skip(skip) + self.w_gate(gate))
        a = torch.sigmoid(self.psi(a))
        a = F.interpolate(a, size=skip.shape[-2:], mode="bilinear", align_corners=False)
        return skip * a


class Up(nn.Module):
    def __init__(self, in_ch, skip_ch, out_ch):
        super().__init__()
        self.gate = AttentionGate(skip_ch, in_ch, max(skip_ch // 2, 1))
        self.up = nn.ConvTranspose2d(in_ch, out_ch, kernel_size=2, stride=2)
        self.conv = DoubleConv(out_ch + skip_ch, out_ch)

    def forward(self, x, skip):
        skip = self.gate(skip, x)
        x = self.up(x)
        x = torch.cat([skip, x], dim=1)
        return self.conv(x)


class UNet(nn.Module):
    def __init__(self, in_channels, num_classes, base=16, depth=3):
        super().__init__()
        self.depth = depth
        widths = [base * 2 ** i for i in range(depth + 1)]
        self.stem = DoubleConv(in_channels, widths[0])
        self.downs = nn.ModuleList()
        self.ups = nn.ModuleList()
        for i in range(depth):
            self.downs.append(DoubleConv(widths[i], widths[i + 1]))
        for i in reversed(range(depth)):
            self.ups.append(Up(widths[i + 1], widths[i], widths[i]))
        self.pool = nn.MaxPool2d(2)
        self.head = nn.Conv2d(base, num_classes, kernel_size=1)

    def forward(self, x):
        x = self.stem(x)
        skips = []
        for down in self.downs:
            skips.append(x)
            x = down(self.pool(x))
        for up, skip in zip(self.ups, reversed(skips)):
            x = up(x, skip)
        return self.head(x)

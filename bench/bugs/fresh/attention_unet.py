"""U-Net with attention gates on its skip connections (Oktay 2018)."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def conv_block(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1, bias=False),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
        nn.Conv2d(cout, cout, 3, padding=1, bias=False),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
    )


class AttentionGate(nn.Module):
    def __init__(self, gate_channels, skip_channels, inner):
        super().__init__()
        self.w_gate = nn.Conv2d(gate_channels, inner, 1)
        self.w_skip = nn.Conv2d(skip_channels, inner, 1, stride=2)
        self.psi = nn.Conv2d(inner, 1, 1)

    def forward(self, gate, skip):
        mixed = F.relu(self.w_gate(gate) + self.w_skip(skip))
        alpha = torch.sigmoid(self.psi(mixed))
        alpha = F.interpolate(alpha, size=skip.shape[-2:], mode="bilinear", align_corners=False)
        return skip * alpha


class UpStage(nn.Module):
    def __init__(self, cin, cskip, cout):
        super().__init__()
        self.gate = AttentionGate(cin, cskip, cskip // 2)
        self.up = nn.ConvTranspose2d(cin, cout, 2, stride=2)
        self.conv = conv_block(cout + cskip, cout)

    def forward(self, x, skip):
        gated = self.gate(x, skip)
        x = self.up(x)
        return self.conv(torch.cat([x, gated], dim=1))


class AttentionUNet(nn.Module):
    def __init__(self, in_channels=1, classes=3, width=16):
        super().__init__()
        self.inc = conv_block(in_channels, width)
        self.down1 = conv_block(width, width * 2)
        self.down2 = conv_block(width * 2, width * 4)
        self.bottom = conv_block(width * 4, width * 8)
        self.pool = nn.MaxPool2d(2)
        self.up3 = UpStage(width * 8, width * 4, width * 4)
        self.up2 = UpStage(width * 4, width * 2, width * 2)
        self.up1 = UpStage(width * 2, width, width)
        self.out = nn.Conv2d(width, classes, kernel_size=1)

    def forward(self, scan):
        s1 = self.inc(scan)
        s2 = self.down1(self.pool(s1))
        s3 = self.down2(self.pool(s2))
        x = self.bottom(self.pool(s3))
        x = self.up3(x, s3)
        x = self.up2(x, s2)
        x = self.up1(x, s1)
        return self.out(x)


def dice_loss(logits, target, eps=1e-6):
    probabilities = logits.softmax(dim=1)
    one_hot = F.one_hot(target, num_classes=logits.size(1)).permute(0, 3, 1, 2).float()
    overlap = (probabilities * one_hot).sum(dim=(2, 3))
    total = probabilities.sum(dim=(2, 3)) + one_hot.sum(dim=(2, 3))
    return 1 - ((2 * overlap + eps) / (total + eps)).mean()


class Segmenter(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, scan, target):
        logits = self.net(scan)
        return F.cross_entropy(logits, target) + dice_loss(logits, target)


if __name__ == "__main__":
    scans = torch.randn(2, 1, 64, 64)
    labels = torch.randint(0, 3, (2, 64, 64))
    print(Segmenter(AttentionUNet())(scans, labels).item())

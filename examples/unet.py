"""U-Net for segmentation: four levels down, four up, skip connections between them."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class DoubleConv(nn.Sequential):
    """(convolution => [BN] => ReLU) * 2"""

    def __init__(self, in_channels, out_channels, mid_channels=None):
        mid_channels = mid_channels or out_channels
        super().__init__(
            nn.Conv2d(in_channels, mid_channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(mid_channels),
            nn.ReLU(inplace=True),
            nn.Conv2d(mid_channels, out_channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(out_channels),
            nn.ReLU(inplace=True),
        )


class Down(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.pool = nn.MaxPool2d(2)
        self.conv = DoubleConv(in_channels, out_channels)

    def forward(self, x):
        return self.conv(self.pool(x))


def pad_to(x, like):
    """Pads height and width of `x` to those of `like`."""
    dy, dx = (a - b for a, b in zip(like.shape[-2:], x.shape[-2:]))
    if dy == 0 and dx == 0:
        return x
    return F.pad(x, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])


class Up(nn.Module):
    def __init__(self, in_channels, out_channels, bilinear=True):
        super().__init__()
        if bilinear:
            self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
            self.conv = DoubleConv(in_channels, out_channels, in_channels // 2)
        else:
            self.up = nn.ConvTranspose2d(in_channels, in_channels // 2, kernel_size=2, stride=2)
            self.conv = DoubleConv(in_channels, out_channels)

    def forward(self, x1, x2):
        x1 = self.up(x1)
        x1 = pad_to(x1, like=x2)
        x = torch.cat([x2, x1], dim=1)
        return self.conv(x)


class UNet(nn.Module):
    def __init__(self, n_channels=3, n_classes=2, base=64, depth=4, bilinear=True):
        super().__init__()
        factor = 2 if bilinear else 1
        widths = [base * 2**i for i in range(depth + 1)]
        widths[-1] //= factor
        self.inc = DoubleConv(n_channels, base)
        self.downs = nn.ModuleList(Down(a, b) for a, b in zip(widths, widths[1:]))
        self.ups = nn.ModuleList()
        width = widths[-1]
        for skip in reversed(widths[:-1]):
            out = skip // factor if skip != base else base
            self.ups.append(Up(skip + width if bilinear else skip * 2, out, bilinear))
            width = out
        self.outc = nn.Conv2d(base, n_classes, kernel_size=1)

    def forward(self, x):
        skips = [self.inc(x)]
        for down in self.downs:
            skips.append(down(skips[-1]))
        x = skips.pop()
        for up, skip in zip(self.ups, reversed(skips)):
            x = up(x, skip)
        return self.outc(x)


def dice_loss(logits, target, eps=1e-6):
    probs = logits.softmax(dim=1)
    onehot = F.one_hot(target, num_classes=logits.shape[1]).permute(0, 3, 1, 2).float()
    dims = (0, 2, 3)
    intersection = (probs * onehot).sum(dims)
    cardinality = (probs + onehot).sum(dims)
    dice = 2.0 * intersection / (cardinality + eps)
    return 1.0 - dice.mean()

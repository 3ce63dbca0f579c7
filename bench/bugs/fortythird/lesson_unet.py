"""Lesson 9: a U-Net that is supervised at every level of its decoder.

Read it from the bottom: `DeepUNet` puts together what the classes above it define.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class DoubleConv(nn.Module):
    """Two convolutions that keep height and width."""

    def __init__(self, c_in, c_out):
        super().__init__()
        self.conv1 = nn.Conv2d(c_in, c_out, kernel_size=3, padding=1)
        self.bn1 = nn.BatchNorm2d(c_out)
        self.conv2 = nn.Conv2d(c_out, c_out, kernel_size=3, padding=1)
        self.bn2 = nn.BatchNorm2d(c_out)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        return F.relu(self.bn2(self.conv2(x)))


class SqueezeExcite(nn.Module):
    """Every channel is weighted by a number between 0 and 1 that depends on the whole picture."""

    def __init__(self, channels, reduction=4):
        super().__init__()
        self.squeeze = nn.Linear(channels, channels // reduction)
        self.excite = nn.Linear(channels // reduction, channels)

    def forward(self, x):
        b, c, _, _ = x.shape
        w = x.mean(dim=(2, 3))                        # [b, c]
        w = torch.sigmoid(self.excite(F.relu(self.squeeze(w))))
        return x * w.view(b, c, 1, 1)


class AttentionGate(nn.Module):
    """Where should the decoder look in the skip connection?"""

    def __init__(self, c_skip, c_gate, c_hidden):
        super().__init__()
        self.skip = nn.Conv2d(c_skip, c_hidden, kernel_size=1)
        self.gate = nn.Conv2d(c_gate, c_hidden, kernel_size=1)
        self.psi = nn.Conv2d(c_hidden, 1, kernel_size=1)

    def forward(self, skip, gate):
        a = F.relu(self.skip(skip) + self.gate(gate))
        return skip * torch.sigmoid(self.psi(a))


class Up(nn.Module):
    """Double the size, gate the skip connection, join both."""

    def __init__(self, c_in, c_skip):
        super().__init__()
        self.up = nn.ConvTranspose2d(c_in, c_skip, kernel_size=2, stride=2)
        self.gate = AttentionGate(c_skip, c_skip, c_skip // 2)
        self.conv = DoubleConv(2 * c_skip, c_skip)
        self.se = SqueezeExcite(c_skip)

    def forward(self, x, skip):
        x = self.up(x)
        skip = self.gate(skip, x)
        x = torch.cat([skip, x], dim=1)
        return self.se(self.conv(x))


class DeepUNet(nn.Module):
    def __init__(self, in_channels, n_classes, base=8, depth=3):
        super().__init__()
        # widths: 8, 16, 32, 64 for depth 3
        widths = [base * 2 ** i for i in range(depth + 1)]
        self.stem = DoubleConv(in_channels, widths[0])
        self.downs = nn.ModuleList([DoubleConv(a, b) for a, b in zip(widths[:-1], widths[1:])])
        self.pool = nn.MaxPool2d(2)
        self.ups = nn.ModuleList([Up(widths[i + 1], widths[i]) for i in reversed(range(depth))])
        # one classifier for each level of the decoder, the coarsest one first
        self.heads = nn.ModuleList([nn.Conv2d(widths[i], n_classes, kernel_size=1) for i in reversed(range(depth))])

    def forward(self, x):
        skips = [self.stem(x)]
        for down in self.downs:
            skips.append(down(self.pool(skips[-1])))
        x = skips.pop()
        outputs = []
        for up, head in zip(self.ups, self.heads):
            x = up(x, skips.pop())
            outputs.append(head(x))
        return outputs

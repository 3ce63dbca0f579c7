import torch
from torch import nn
from torch.nn import functional as F


class ResUnit(nn.Module):
    def __init__(self, cin, cout, groups=8):
        super().__init__()
        self.norm1 = nn.GroupNorm(groups, cout)
        self.norm2 = nn.GroupNorm(groups, cout)
        self.conv1 = nn.Conv2d(cin, cout, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2d(cout, cout, kernel_size=3, padding=1)
        self.proj = nn.Conv2d(cin, cout, kernel_size=1) if cin != cout else nn.Identity()

    def forward(self, x):
        y = F.silu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        return F.silu(y + self.proj(x))


class SqueezeExcite(nn.Module):
    def __init__(self, channels, reduction=4):
        super().__init__()
        self.fc1 = nn.Linear(channels, channels // reduction)
        self.fc2 = nn.Linear(channels // reduction, channels)

    def forward(self, x):
        s = x.mean(dim=(2, 3))
        s = torch.sigmoid(self.fc2(F.relu(self.fc1(s))))
        return x * s[:, :, None, None]


class UpMerge(nn.Module):
    """Transposed convolution, then the skip connection."""

    def __init__(self, cin, cskip, cout, groups=8):
        super().__init__()
        self.up = nn.ConvTranspose2d(cin, cout, kernel_size=4, stride=2, padding=1)
        self.unit = ResUnit(cout + cskip, cout, groups)
        self.se = SqueezeExcite(cout)

    def forward(self, x, skip):
        x = self.up(x)
        x = torch.cat((x, skip), dim=1)
        return self.se(self.unit(x))

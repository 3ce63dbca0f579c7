"""Small ResNet with squeeze-and-excitation for 32x32 or 64x64 pictures."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class SqueezeExcite(nn.Module):
    def __init__(self, channels=64, reduction=8):
        super().__init__()
        hidden = channels // reduction
        self.fc1 = nn.Linear(channels, hidden)
        self.fc2 = nn.Linear(hidden, channels)

    def forward(self, x):
        w = x.mean(dim=(2, 3))
        w = F.relu(self.fc1(w))
        w = torch.sigmoid(self.fc2(w))
        return x * w[:, :, None, None]


class BasicBlock(nn.Module):
    def __init__(self, in_ch=64, out_ch=64, stride=1, drop=0.0):
        super().__init__()
        self.conv1 = nn.Conv2d(in_ch, out_ch, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(out_ch)
        self.conv2 = nn.Conv2d(out_ch, out_ch, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(out_ch)
        self.se = SqueezeExcite(out_ch)
        self.drop = nn.Dropout2d(drop)
        self.shortcut = nn.Identity()
        if stride != 1 or in_ch != out_ch:
            self.shortcut = nn.Sequential(
                nn.Conv2d(in_ch, out_ch, 1, stride=stride, bias=False),
                nn.BatchNorm2d(out_ch),
            )

    def forward(self, x):
        identity = self.shortcut(x)
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.drop(out)
        out = self.se(self.bn2(self.conv2(out)))
        return F.relu(out + identity)


class ResNet(nn.Module):
    def __init__(self, num_classes=10, width=32, blocks=(2, 2, 2), drop=0.1):
        super().__init__()
        self.in_ch = width
        self.stem = nn.Sequential(
            nn.Conv2d(3, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
        )
        self.layer1 = self._make_layer(width, blocks[0], 1, drop)
        self.layer2 = self._make_layer(width * 2, blocks[1], 2, drop)
        self.layer3 = self._make_layer(width * 4, blocks[2], 2, drop)
        self.head = nn.Linear(width * 4, num_classes)
        self._init_weights()

    def _make_layer(self, out_ch, n, stride, drop):
        layers = []
        for i in range(n):
            layers.append(BasicBlock(self.in_ch, out_ch, stride if i == 0 else 1, drop))
            self.in_ch = out_ch
        return nn.Sequential(*layers)

    def _init_weights(self):
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")

    def features(self, x):
        x = self.stem(x)
        x = self.layer1(x)
        x = self.layer2(x)
        return self.layer3(x)

    def forward(self, x):
        x = self.features(x)
        x = F.adaptive_avg_pool2d(x, 1).flatten(1)
        return self.head(x)

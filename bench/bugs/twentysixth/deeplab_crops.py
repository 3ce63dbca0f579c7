"""Crop types from satellite tiles: residual net with dilation, ASPP, low level skip; auxiliary head; dice + CE."""

import torch
import torch.nn as nn
import torch.nn.functional as F

CLASSES = ["bare", "maize", "wheat", "soy", "water", "urban"]
BANDS, NUM_CLASSES = 10, len(CLASSES)


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, inplanes, planes, stride=1, dilation=1):
        super().__init__()
        out = planes * self.expansion
        self.conv1 = nn.Conv2d(inplanes, planes, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, 3, stride, dilation, dilation, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.conv3 = nn.Conv2d(planes, out, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(out)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or inplanes != out:
            self.downsample = nn.Sequential(nn.Conv2d(inplanes, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        identity = x if self.downsample is None else self.downsample(x)
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        out += identity
        return self.relu(out)


class DilatedResNet(nn.Module):
    def __init__(self, in_bands, layers=(1, 1, 2, 1), width=8):
        super().__init__()
        self.inplanes = width
        self.stem = nn.Sequential(
            nn.Conv2d(in_bands, width, 7, 2, 3, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(3, 2, 1),
        )
        self.layer1 = self._make_layer(width, layers[0])
        self.layer2 = self._make_layer(width * 2, layers[1], stride=2)
        self.layer3 = self._make_layer(width * 4, layers[2], dilation=2)
        self.layer4 = self._make_layer(width * 8, layers[3], dilation=4)

    def _make_layer(self, planes, blocks, stride=1, dilation=1):
        layers = [Bottleneck(self.inplanes, planes, stride, dilation)]
        self.inplanes = planes * Bottleneck.expansion
        for _ in range(1, blocks):
            layers.append(Bottleneck(self.inplanes, planes, dilation=dilation))
        return nn.Sequential(*layers)

    def forward(self, x):
        x = self.stem(x)
        low = self.layer1(x)
        mid = self.layer3(self.layer2(low))
        return low, mid, self.layer4(mid)


class ASPPPooling(nn.Sequential):
    def __init__(self, in_channels, out_channels):
        super().__init__(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(in_channels, out_channels, 1, bias=False), nn.ReLU(inplace=True)
        )

    def forward(self, x):
        size = x.shape[-2:]
        for mod in self:
            x = mod(x)
        return F.interpolate(x, size=size, mode="bilinear", align_corners=False)


class ASPP(nn.Module):
    def __init__(self, in_channels, rates=(2, 4, 6), out_channels=48):
        super().__init__()
        modules = [
            nn.Sequential(nn.Conv2d(in_channels, out_channels, 1, bias=False), nn.BatchNorm2d(out_channels), nn.ReLU())
        ]
        for rate in rates:
            modules.append(
                nn.Sequential(
                    nn.Conv2d(in_channels, out_channels, 3, padding=rate, dilation=rate, bias=False),
                    nn.BatchNorm2d(out_channels),
                    nn.ReLU(),
                )
            )
        modules.append(ASPPPooling(in_channels, out_channels))
        self.convs = nn.ModuleList(modules)
        self.project = nn.Sequential(
            nn.Conv2d(len(self.convs) * out_channels, out_channels, 1, bias=False),
            nn.BatchNorm2d(out_channels),
            nn.ReLU(),
            nn.Dropout(0.1),
        )

    def forward(self, x):
        return self.project(torch.cat([conv(x) for conv in self.convs], dim=1))


class DeepLab(nn.Module):
    def __init__(self, bands=BANDS, num_classes=NUM_CLASSES, width=8):
        super().__init__()
        self.backbone = DilatedResNet(bands, width=width)
        self.aspp = ASPP(width * 32)
        self.reduce = nn.Sequential(nn.Conv2d(width * 4, 16, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU())
        self.classifier = nn.Sequential(
            nn.Conv2d(48 + 16, 48, 3, padding=1, bias=False),
            nn.BatchNorm2d(48),
            nn.ReLU(),
            nn.Conv2d(48, num_classes, 1),
        )
        self.aux = nn.Conv2d(width * 16, num_classes, 1)

    def forward(self, x):
        size = x.shape[-2:]
        low, mid, high = self.backbone(x)
        high = F.interpolate(self.aspp(high), size=low.shape[-2:], mode="bilinear", align_corners=False)
        fused = torch.cat((high, self.reduce(low)), dim=1)
        out = F.interpolate(self.classifier(fused), size=size, mode="bilinear", align_corners=False)
        aux = F.interpolate(self.aux(mid), size=size, mode="bilinear", align_corners=False)
        return out, aux


class DiceLoss(nn.Module):
    def __init__(self, smooth=1.0):
        super().__init__()
        self.smooth = smooth

    def forward(self, logits, target):
        probs = logits.softmax(dim=1)
        onehot = F.one_hot(target, logits.size(1)).permute(0, 3, 1, 2).float()
        inter = (probs * onehot).sum(dim=(0, 2, 3))
        union = probs.sum(dim=(0, 2, 3)) + onehot.sum(dim=(0, 2, 3))
        return 1 - ((2 * inter + self.smooth) / (union + self.smooth)).mean()


def train_step(model, optimizer, tiles, labels):
    dice = DiceLoss()
    out, aux = model(tiles)
    loss = F.cross_entropy(out, labels) + dice(out, labels) + 0.4 * F.cross_entropy(aux, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


if __name__ == "__main__":
    net = DeepLab()
    opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    x = torch.rand(2, BANDS, 96, 96)
    y = torch.randint(0, NUM_CLASSES, (2, 96, 96))
    print(train_step(net, opt, x, y))

import torch
import torch.nn as nn


def conv_bn_relu(cin, cout, stride=1):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, stride=stride, padding=1),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
    )


class Stem(nn.Module):
    """Halves the resolution twice."""

    def __init__(self, width):
        super().__init__()
        self.block1 = conv_bn_relu(3, width, stride=2)
        self.block2 = conv_bn_relu(width, 2 * width, stride=2)

    def forward(self, img):
        return self.block2(self.block1(img))


class SmallClassifier(nn.Module):
    def __init__(self, width=8, classes=5):
        super().__init__()
        self.stem = Stem(width)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(2 * width, classes)

    def forward(self, img):
        x = self.pool(self.stem(img))
        return self.fc(torch.flatten(x, 1))


SmallClassifier()(torch.randn(2, 3, 16, 16))

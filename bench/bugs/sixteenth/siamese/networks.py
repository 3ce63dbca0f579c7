import torch
import torch.nn as nn
import torch.nn.functional as F


class ConvTower(nn.Module):
    def __init__(self, channels=(1, 32, 64, 128), embed=128):
        super().__init__()
        layers = []
        for a, b in zip(channels[:-1], channels[1:]):
            layers += [nn.Conv2d(a, b, 3), nn.BatchNorm2d(b), nn.PReLU(), nn.MaxPool2d(2)]
        self.features = nn.Sequential(*layers)
        self.project = nn.Sequential(nn.Linear(channels[-1] * 5 * 5, 256), nn.PReLU(), nn.Linear(256, embed))

    def forward(self, x):
        x = self.features(x)
        x = x.reshape(x.size(0), -1)
        return F.normalize(self.project(x), dim=1)


class SiameseNet(nn.Module):
    def __init__(self, tower):
        super().__init__()
        self.tower = tower
        self.compare = nn.Linear(2 * 128, 1)

    def forward(self, left, right):
        a, b = self.tower(left), self.tower(right)
        both = torch.cat([torch.abs(a - b), a * b], dim=1)
        return self.compare(both).squeeze(1), a, b


class ContrastiveLoss(nn.Module):
    def __init__(self, margin=1.0):
        super().__init__()
        self.margin = margin

    def forward(self, a, b, same):
        distance = F.pairwise_distance(a, b)
        near = same * distance.pow(2)
        far = (1 - same) * F.relu(self.margin - distance).pow(2)
        return (near + far).mean()

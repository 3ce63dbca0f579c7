import torch
import torch.nn as nn


class GrowthLayer(nn.Module):
    def __init__(self, cin, growth):
        super().__init__()
        self.norm = nn.GroupNorm(1, cin)
        self.conv = nn.Conv2d(cin, growth, 3, padding=1, bias=False)

    def forward(self, x):
        return self.conv(torch.relu(self.norm(x)))


class DenseStage(nn.Module):
    def __init__(self, cin, growth, n):
        super().__init__()
        self.layers = nn.ModuleList([GrowthLayer(cin + i * growth, growth) for i in range(n)])
        self.out_channels = cin + n * growth

    def forward(self, x):
        feats = x
        for layer in self.layers:
            new = layer(feats)
            feats = torch.cat([feats, new], dim=1)
        return feats


class Transition(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, 1)
        self.pool = nn.AvgPool2d(2)

    def forward(self, x):
        return self.pool(self.conv(x))


class RetinaDense(nn.Module):
    """Grades fundus images from 0 to 4."""

    def __init__(self, growth=4, grades=5):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.stage1 = DenseStage(8, growth, 3)
        self.trans = Transition(self.stage1.out_channels, 10)
        self.stage2 = DenseStage(10, growth, 2)
        self.fc = nn.Linear(self.stage2.out_channels, grades)

    def forward(self, img):
        x = self.trans(self.stage1(self.stem(img)))
        return self.fc(self.stage2(x).mean((2, 3)))


RetinaDense()(torch.rand(2, 3, 12, 12))

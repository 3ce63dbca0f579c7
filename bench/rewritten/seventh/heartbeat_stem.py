"""Residual 1-D network on single-lead ECG."""
import torch
from torch import nn


class Beat(nn.Module):
    def __init__(self, channels, kernel=7):
        super().__init__()
        self.first = nn.Conv1d(channels, channels, kernel, padding=kernel // 2)
        self.first_norm = nn.BatchNorm1d(channels)
        self.second = nn.Conv1d(channels, channels, kernel, padding=kernel // 2, bias=False)
        self.second_norm = nn.BatchNorm1d(channels)
        self.act = nn.ReLU()

    def forward(self, x):
        h = self.first(x)
        h = self.first_norm(h)
        h = self.act(h)
        h = self.second(h)
        h = self.second_norm(h)
        return self.act(x + h)


class ECGNet(nn.Module):
    def __init__(self, classes=4, channels=12, depth=2):
        super().__init__()
        self.enter = nn.Conv1d(1, channels, 15, stride=4)
        self.beats = nn.ModuleList(Beat(channels) for _ in range(depth))
        self.pool = nn.AdaptiveAvgPool1d(1)
        self.head = nn.Linear(channels, classes)

    def forward(self, trace):
        h = self.enter(trace)
        for beat in self.beats:
            h = beat(h)
        return self.head(self.pool(h).flatten(1))


if __name__ == "__main__":
    torch.manual_seed(0)
    net = ECGNet()
    print(net(torch.randn(3, 1, 200)).shape)
    net.eval()
    print(net(torch.randn(3, 1, 200)).argmax(1))

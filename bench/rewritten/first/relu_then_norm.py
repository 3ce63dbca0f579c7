import torch
import torch.nn as nn


class ConvUnit(nn.Module):
    def __init__(self, in_ch, out_ch):
        super().__init__()
        self.conv = nn.Conv1d(in_ch, out_ch, kernel_size=5, padding=2)
        self.bn = nn.BatchNorm1d(out_ch)
        self.act = nn.ReLU()

    def forward(self, x):
        # activation first, worked better on the ECG data
        return self.bn(self.act(self.conv(x)))


class EcgNet(nn.Module):
    def __init__(self, leads=2, width=8, classes=4):
        super().__init__()
        self.units = nn.ModuleList([
            ConvUnit(leads, width),
            ConvUnit(width, 2 * width),
        ])
        self.head = nn.Linear(2 * width, classes)

    def forward(self, signal):
        for unit in self.units:
            signal = unit(signal)
        return self.head(signal.mean(dim=-1))


EcgNet()(torch.randn(3, 2, 40))

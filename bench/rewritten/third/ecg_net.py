import torch
import torch.nn as nn
import torch.nn.functional as F


class ECGBlock(nn.Module):
    def __init__(self, c_in, c_out, kernel=9, stride=2):
        super().__init__()
        self.conv = nn.Conv1d(c_in, c_out, kernel, stride=stride, padding=kernel // 2)
        self.bn = nn.BatchNorm1d(c_out)
        self.gate = nn.Conv1d(c_out, c_out, 1)

    def forward(self, x):
        y = self.conv(x)
        z = F.relu(self.bn(y))
        return y + torch.tanh(self.gate(z))


class LeadEncoder(nn.Module):
    def __init__(self, n_leads, widths=(8, 16, 24)):
        super().__init__()
        blocks = []
        c = n_leads
        for w in widths:
            blocks.append(ECGBlock(c, w))
            c = w
        self.blocks = nn.ModuleList(blocks)
        self.out_channels = c

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


class RhythmHead(nn.Module):
    def __init__(self, channels, n_rhythms):
        super().__init__()
        self.fc = nn.Linear(2 * channels, n_rhythms)

    def forward(self, h):
        pooled = torch.cat([h.mean(-1), h.amax(-1)], dim=1)
        return self.fc(pooled)


class ECGClassifier(nn.Module):
    def __init__(self, n_leads=12, n_rhythms=5):
        super().__init__()
        self.encoder = LeadEncoder(n_leads)
        self.head = RhythmHead(self.encoder.out_channels, n_rhythms)

    def forward(self, signal):
        return self.head(self.encoder(signal))


ECGClassifier()(torch.randn(3, 12, 64))

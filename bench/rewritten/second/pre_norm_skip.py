import torch
from torch import nn


class NormSkip(nn.Module):
    def __init__(self, c, k=3):
        super().__init__()
        self.cv = nn.Conv1d(c, c, k, padding=k // 2)
        self.bn = nn.BatchNorm1d(c)
        self.pw = nn.Conv1d(c, c, 1)

    def forward(self, x):
        u = self.cv(x)
        n = self.bn(u)
        # keep the un-normalised path (scale info)
        return u + self.pw(torch.relu(n))


class Wav(nn.Module):
    def __init__(self, c=8, depth=2):
        super().__init__()
        self.stem = nn.Conv1d(1, c, 5, padding=2)
        self.bl = nn.ModuleList(NormSkip(c) for _ in range(depth))
        self.fc = nn.Linear(c, 4)

    def forward(self, w):
        h = self.stem(w.unsqueeze(1))
        for b in self.bl:
            h = b(h)
        return self.fc(h.amax(-1))


Wav()(torch.randn(3, 20))

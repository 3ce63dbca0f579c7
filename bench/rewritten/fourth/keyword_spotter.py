import torch
import torch.nn as nn
import torch.nn.functional as F


class DepthwiseConv(nn.Module):
    def __init__(self, channels, kernel):
        super().__init__()
        self.dw = nn.Conv1d(channels, channels, kernel, padding=kernel // 2, groups=channels)
        self.pw = nn.Conv1d(channels, channels, 1)

    def forward(self, x):
        return F.relu(self.pw(self.dw(x)))


class LengthPool(nn.Module):
    def forward(self, x, lengths):
        mask = self.frame_mask(x, lengths)
        total = (x * mask).sum(dim=-1)
        return total / lengths.unsqueeze(1).to(x.dtype)

    def frame_mask(self, x, lengths):
        b, c, t = x.shape
        frames = torch.arange(t, device=x.device).repeat(b, 1)
        ones = torch.ones(b, t, device=x.device, dtype=torch.long)
        position = torch.cumsum(ones, dim=1)
        mask = position <= lengths.unsqueeze(1)
        return mask.unsqueeze(1).to(x.dtype)


class KeywordSpotter(nn.Module):
    """Ten-word spotter on MFCCs."""

    def __init__(self, mfcc=13, channels=16, words=10):
        super().__init__()
        self.stem = nn.Conv1d(mfcc, channels, 5, padding=2)
        self.layers = nn.ModuleList(DepthwiseConv(channels, k) for k in (3, 5))
        self.pool = LengthPool()
        self.fc = nn.Linear(channels, words)

    def forward(self, feats, lengths):
        x = self.stem(feats)
        for layer in self.layers:
            x = x + layer(x)
        return self.fc(self.pool(x, lengths))


KeywordSpotter()(torch.randn(2, 13, 9), torch.tensor([6, 9]))

import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class SinusoidalTime(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        t = torch.arange(x.size(1)).unsqueeze(1)
        freq = torch.exp(torch.arange(0, self.dim, 2, device=x.device) * (-math.log(1e4) / self.dim))
        angles = t * freq

        # first half sine, second half cosine
        return x + torch.cat([angles.sin(), angles.cos()], dim=-1)


class FrameBlock(nn.Module):
    def __init__(self, dim, kernel):
        super().__init__()
        self.dw = nn.Conv1d(dim, dim, kernel, padding=kernel // 2, groups=dim)
        self.pw = nn.Linear(dim, dim)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        y = self.dw(x.transpose(1, 2)).transpose(1, 2)
        return self.norm(x + F.gelu(self.pw(y)))


class VoiceActivity(nn.Module):
    """Per-frame speech probability."""

    def __init__(self, n_mels=20, dim=16, depth=2, kernel=5):
        super().__init__()
        self.inp = nn.Linear(n_mels, dim)
        self.time = SinusoidalTime(dim)
        self.blocks = nn.ModuleList([FrameBlock(dim, kernel) for _ in range(depth)])
        self.out = nn.Linear(dim, 1)

    def forward(self, mels):
        """mels: (batch, frames, n_mels) -> (batch, frames)"""
        h = self.time(self.inp(mels))
        for block in self.blocks:
            h = block(h)
        return torch.sigmoid(self.out(h)).squeeze(-1)


VoiceActivity()(torch.randn(2, 15, 20))

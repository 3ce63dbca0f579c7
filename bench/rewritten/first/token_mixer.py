import torch
from torch import nn


class ChannelMLP(nn.Module):
    def __init__(self, dim, mult=2):
        super().__init__()
        self.up = nn.Linear(dim, dim * mult)
        self.down = nn.Linear(dim * mult, dim)

    def forward(self, x):
        return self.down(torch.nn.functional.gelu(self.up(x)))


class SpeechBlock(nn.Module):
    """Convolution over time, then an MLP over channels."""

    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.conv = nn.Conv1d(dim, dim, 3, padding=1, groups=dim)
        self.mlp = ChannelMLP(dim)

    def forward(self, x):
        # B x C x T
        y = self.conv(x)

        # there was a batch norm here once
        y = y.permute(0, 2, 1)
        y = y.permute(0, 2, 1)

        y = (x + y).transpose(1, 2)
        return y + self.mlp(self.norm(y))


SpeechBlock(16)(torch.randn(2, 16, 11))

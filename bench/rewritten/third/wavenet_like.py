import torch
import torch.nn as nn
import torch.nn.functional as F


class DilatedBlock(nn.Module):
    def __init__(self, channels, kernel, dilation):
        super().__init__()
        self.pad = dilation * (kernel - 1) // 2
        self.conv = nn.Conv1d(channels, 2 * channels, kernel, dilation=dilation)
        self.res = nn.Conv1d(channels, channels, 1)

    def forward(self, x):
        y = F.pad(x, (self.pad, self.pad))
        y = self.conv(y)
        filt, gate = y.chunk(2, dim=1)
        y = torch.tanh(filt) * torch.sigmoid(gate)
        return x + self.res(y), y


class Denoiser(nn.Module):
    """Non-causal WaveNet for speech denoising."""

    def __init__(self, channels=12, kernel=3, dilations=(1, 2, 4, 8)):
        super().__init__()
        self.inp = nn.Conv1d(1, channels, 1)
        self.blocks = nn.ModuleList()
        for d in dilations:
            self.blocks.append(DilatedBlock(channels, kernel, d))

    def forward(self, wav):
        h = self.inp(wav)
        skip = 0
        for block in self.blocks:
            h, s = block(h)
            skip = skip + s
        return F.relu(skip)


class OutputHead(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.c1 = nn.Conv1d(channels, channels, 3, padding=1)
        self.c2 = nn.Conv1d(channels, 1, 1)

    def forward(self, h):
        return self.c2(F.relu(self.c1(h)))


class SpeechEnhancer(nn.Module):
    def __init__(self, channels=12):
        super().__init__()
        self.body = Denoiser(channels)
        self.head = OutputHead(channels)

    def forward(self, noisy):
        x = noisy.unsqueeze(1)
        speech = self.head(self.body(x))
        return speech.squeeze(1)


SpeechEnhancer()(torch.randn(2, 50))

import torch
import torch.nn as nn
import torch.nn.functional as F


class ResidualUnit(nn.Module):
    def __init__(self, channels, dilation):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, 3, padding=dilation, dilation=dilation)
        self.mix = nn.Conv1d(channels, channels, 1)

    def forward(self, x):
        return x + self.mix(F.leaky_relu(self.conv(x), 0.1))


class Analysis(nn.Module):
    """Waveform to a short code sequence."""

    def __init__(self, channels, stride):
        super().__init__()
        self.conv = nn.Conv1d(1, channels, 2 * stride, stride=stride, padding=stride // 2)
        self.units = nn.Sequential(*[ResidualUnit(channels, d) for d in (1, 3)])

    def forward(self, wav):
        return self.units(self.conv(wav))


class Codec(nn.Module):
    def __init__(self, channels=8, stride=4, headroom=0.95):
        super().__init__()
        self.headroom = headroom
        self.analysis = Analysis(channels, stride)
        self.synthesis = nn.ConvTranspose1d(channels, 1, 2 * stride, stride=stride, padding=stride // 2)

    def forward(self, wav):
        peak = wav.abs().max().item()
        gain = self.headroom / (peak + 1e-8)
        code = self.analysis(wav.unsqueeze(1) * gain)
        rec = torch.tanh(self.synthesis(code)).squeeze(1)
        return rec / gain


Codec()(torch.randn(2, 32))

"""Spots keywords in one-second clips: log-mel spectrogram, CNN, GRU."""
import math

import numpy as np
import torch
import torch.nn as nn


class LogMel(nn.Module):
    def __init__(self, sample_rate, n_fft, hop, n_mels):
        super().__init__()
        self.n_fft = n_fft
        self.hop = hop
        self.register_buffer("window", torch.hann_window(n_fft))
        top = 2595 * math.log10(1 + sample_rate / 2 / 700)
        hz = 700 * (10 ** (np.linspace(0, top, n_mels + 2) / 2595) - 1)
        freqs = np.linspace(0, sample_rate / 2, n_fft // 2 + 1)
        up = (freqs[None] - hz[:-2, None]) / (hz[1:-1] - hz[:-2])[:, None]
        down = (hz[2:, None] - freqs[None]) / (hz[2:] - hz[1:-1])[:, None]
        bank = np.clip(np.minimum(up, down), 0, None)
        self.register_buffer("bank", torch.from_numpy(bank).float())

    def forward(self, wave):
        spec = torch.stft(wave, self.n_fft, self.hop, window=self.window, return_complex=True)
        mel = torch.matmul(self.bank, spec.abs() ** 2)
        return torch.log(mel + 1e-6)


class ConvBlock(nn.Module):
    def __init__(self, in_ch, out_ch, pool):
        super().__init__()
        self.conv = nn.Conv2d(in_ch, out_ch, 3, padding=1)
        self.bn = nn.BatchNorm2d(out_ch)
        self.pool = nn.MaxPool2d((pool, 2))

    def forward(self, x):
        return self.pool(torch.relu(self.bn(self.conv(x))))


class KeywordNet(nn.Module):
    def __init__(self, num_keywords, n_mels, channels, hidden, sample_rate=16000):
        super().__init__()
        self.frontend = LogMel(sample_rate, n_fft=512, hop=160, n_mels=n_mels)
        self.conv1 = ConvBlock(1, channels, pool=2)
        self.conv2 = ConvBlock(channels, channels * 2, pool=2)
        self.mix = nn.Conv1d(channels * 2 * (n_mels // 4), hidden, 1)
        self.gru = nn.GRU(hidden, hidden, batch_first=True, bidirectional=True)
        self.norm = nn.LayerNorm(2 * hidden)
        self.att = nn.Linear(2 * hidden, 1)
        self.out = nn.Linear(2 * hidden, num_keywords)

    def forward(self, wave):
        mel = self.frontend(wave)
        x = mel.unsqueeze(1)
        x = self.conv2(self.conv1(x))
        x = x.flatten(1, 2)
        x = torch.relu(self.mix(x))
        x = x.permute(0, 2, 1)
        x, _ = self.gru(x)
        x = self.norm(x)
        w = self.att(x).softmax(dim=1)
        return self.out((w * x).sum(dim=1))

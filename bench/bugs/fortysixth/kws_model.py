"""DS-CNN keyword spotter, ported from the TF "speech_commands" example (NHWC there, NCHW here)."""
import math

import torch
from torch import nn
import torch.nn.functional as F


class LogMel(nn.Module):
    """wav [batch, samples] -> log-mel [batch, 1, frames, mels]; replaces tf.signal.*"""

    def __init__(self, rate=4000, frame=160, hop=80, mels=20):
        super().__init__()
        self.frame, self.hop = frame, hop
        self.n_fft = 2 ** math.ceil(math.log2(frame))
        self.register_buffer("window", torch.hann_window(frame))
        self.register_buffer("bank", self.mel_bank(rate, self.n_fft, mels))

    @staticmethod
    def mel_bank(rate, n_fft, mels):
        def to_mel(hz):
            return 1127.0 * torch.log1p(hz / 700.0)

        bins = to_mel(torch.linspace(0.0, rate / 2, n_fft // 2 + 1))
        edges = torch.linspace(float(bins[1]), float(bins[-1]), mels + 2)
        lower, centre, upper = edges[:-2], edges[1:-1], edges[2:]
        up = (bins[:, None] - lower) / (centre - lower)
        down = (upper - bins[:, None]) / (upper - centre)
        return torch.minimum(up, down).clamp_min(0.0)

    def forward(self, wav):
        frames = wav.unfold(-1, self.frame, self.hop) * self.window
        power = torch.fft.rfft(frames, n=self.n_fft).abs().square()
        mel = torch.log(power @ self.bank + 1e-6)
        mean = mel.mean(dim=1, keepdim=True)
        return (mel - mean).unsqueeze(1)


class SeparableBlock(nn.Module):
    def __init__(self, cin, cout, stride=1):
        super().__init__()
        self.depthwise = nn.Conv2d(cin, cin, 3, stride=stride, padding=1, groups=cin, bias=False)
        self.bn1 = nn.BatchNorm2d(cin)
        self.pointwise = nn.Conv2d(cin, cout, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(cout)
        self.skip = stride == 1 and cin == cout

    def forward(self, x):
        y = F.relu(self.bn1(self.depthwise(x)))
        y = self.bn2(self.pointwise(y))
        if self.skip:
            y = y + x
        return F.relu(y)


class SqueezeExcite(nn.Module):
    def __init__(self, channels, ratio=4):
        super().__init__()
        self.fc1 = nn.Linear(channels, channels // ratio)
        self.fc2 = nn.Linear(channels // ratio, channels)

    def forward(self, x):
        s = x.mean(dim=(2, 3))
        s = torch.sigmoid(self.fc2(F.relu(self.fc1(s))))
        return x * s[:, :, None, None]


class DSCNN(nn.Module):
    def __init__(self, num_classes, mels=20, channels=(32, 32, 48, 48), hidden=40):
        super().__init__()
        self.features = LogMel(mels=mels)
        self.stem = nn.Conv2d(1, channels[0], (5, 3), stride=(2, 1), padding=(2, 1))
        blocks = []
        for i, (cin, cout) in enumerate(zip(channels[:-1], channels[1:])):
            blocks.append(SeparableBlock(cin, cout, stride=2 if cin != cout else 1))
        self.blocks = nn.Sequential(*blocks)
        self.se = SqueezeExcite(channels[-1])
        self.rnn = nn.GRU(channels[-1] * (mels // 2), hidden, batch_first=True)
        self.attend = nn.Linear(hidden, 1)
        self.classify = nn.Linear(hidden, num_classes)

    def forward(self, wav):
        x = F.relu(self.stem(self.features(wav)))
        x = self.se(self.blocks(x))
        x = x.permute(0, 2, 1, 3).flatten(2)  # [batch, time, channels * mels]
        out, _ = self.rnn(x)
        weights = self.attend(out).softmax(dim=1)
        pooled = (weights * out).sum(dim=1)
        return self.classify(pooled)

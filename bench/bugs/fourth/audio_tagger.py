"""Tags of sounds: spectrogram, mel filters, a CRNN and attention over time."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class LogMel(nn.Module):
    def __init__(self, n_fft=400, hop=160, n_mels=40):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft))
        self.register_buffer("fbank", torch.rand(n_fft // 2 + 1, n_mels))

    def forward(self, wav):
        spec = torch.stft(
            wav, n_fft=self.n_fft, hop_length=self.hop, win_length=self.n_fft, window=self.window, return_complex=True
        )
        power = spec.abs().pow(2)
        mel = torch.matmul(power.transpose(1, 2), self.fbank)
        return torch.log(mel + 1e-6)


class ConvBlock(nn.Module):
    def __init__(self, in_channels, out_channels, pool):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(out_channels)
        self.pool = nn.AvgPool2d(pool)

    def forward(self, x):
        return self.pool(F.relu(self.bn(self.conv(x))))


class CRNN(nn.Module):
    def __init__(self, n_mels=40, n_classes=7, hidden=36):
        super().__init__()
        self.frontend = LogMel(n_mels=n_mels)
        self.norm = nn.BatchNorm1d(n_mels)
        self.block1 = ConvBlock(1, 16, (2, 2))
        self.block2 = ConvBlock(16, 24, (1, 2))
        self.block3 = ConvBlock(24, 32, (1, 2))
        self.rnn = nn.LSTM(32 * (n_mels // 8), hidden, num_layers=2, batch_first=True, bidirectional=True)
        self.att = nn.Linear(2 * hidden, n_classes)
        self.cla = nn.Linear(2 * hidden, n_classes)

    def forward(self, wav):
        x = self.frontend(wav)
        x = self.norm(x.transpose(1, 2)).transpose(1, 2)
        x = x.unsqueeze(1)
        x = self.block3(self.block2(self.block1(x)))
        x = x.permute(0, 2, 1, 3).flatten(2)
        x, (h, c) = self.rnn(x)
        weights = torch.softmax(self.att(x), dim=1)
        framewise = torch.sigmoid(self.cla(x))
        clipwise = torch.sum(weights * framewise, dim=1)
        return clipwise, framewise


def loss_fn(clipwise, labels):
    return F.binary_cross_entropy(clipwise, labels)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = CRNN()

    def forward(self, wav, labels):
        clipwise, framewise = self.net(wav)
        strong = framewise.max(dim=1).values
        return loss_fn(clipwise, labels) + 0.1 * F.mse_loss(strong, labels)


if __name__ == "__main__":
    tagger = Tagger()
    tagger(torch.randn(5, 16000), torch.rand(5, 7))

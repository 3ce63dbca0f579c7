"""Waveforms from mels: a HiFi-GAN in small, with discriminators over periods."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils import weight_norm

LRELU_SLOPE = 0.1


def get_padding(kernel_size, dilation=1):
    return (kernel_size * dilation - dilation) // 2


class ResBlock(nn.Module):
    def __init__(self, channels, kernel_size=3, dilation=(1, 3)):
        super().__init__()
        self.convs1 = nn.ModuleList(
            [
                weight_norm(nn.Conv1d(channels, channels, kernel_size, dilation=d, padding=get_padding(kernel_size, d)))
                for d in dilation
            ]
        )
        self.convs2 = nn.ModuleList(
            [
                weight_norm(nn.Conv1d(channels, channels, kernel_size, padding=get_padding(kernel_size)))
                for _ in dilation
            ]
        )

    def forward(self, x):
        for c1, c2 in zip(self.convs1, self.convs2):
            xt = c1(F.leaky_relu(x, LRELU_SLOPE))
            xt = c2(F.leaky_relu(xt, LRELU_SLOPE))
            x = xt + x
        return x


class Generator(nn.Module):
    def __init__(self, n_mels=24, channels=48, rates=(4, 4), kernels=(8, 8), n_speakers=6):
        super().__init__()
        self.conv_pre = weight_norm(nn.Conv1d(n_mels, channels, 7, padding=3))
        self.speaker = nn.Embedding(n_speakers, channels)
        self.ups = nn.ModuleList()
        self.resblocks = nn.ModuleList()
        for i, (u, k) in enumerate(zip(rates, kernels)):
            cin, cout = channels // 2**i, channels // 2 ** (i + 1)
            self.ups.append(weight_norm(nn.ConvTranspose1d(cin, cout, k, u, padding=(k - u) // 2)))
            self.resblocks.append(ResBlock(cout))
        self.conv_post = weight_norm(nn.Conv1d(12, 1, 7, padding=3))

    def forward(self, mel, speaker):
        x = self.conv_pre(mel) + self.speaker(speaker).unsqueeze(-1)
        for up, block in zip(self.ups, self.resblocks):
            x = block(up(F.leaky_relu(x, LRELU_SLOPE)))
        return torch.tanh(self.conv_post(F.leaky_relu(x)))


class PeriodDiscriminator(nn.Module):
    def __init__(self, period):
        super().__init__()
        self.period = period
        self.convs = nn.ModuleList(
            [
                weight_norm(nn.Conv2d(1, 10, (5, 1), (3, 1), padding=(2, 0))),
                weight_norm(nn.Conv2d(10, 20, (5, 1), (3, 1), padding=(2, 0))),
            ]
        )
        self.conv_post = weight_norm(nn.Conv2d(20, 1, (3, 1), padding=(1, 0)))

    def forward(self, x):
        fmap = []
        b, c, t = x.shape
        if t % self.period != 0:
            x = F.pad(x, (0, self.period - t % self.period), "reflect")
        x = x.view(b, c, -1, self.period)
        for conv in self.convs:
            x = F.leaky_relu(conv(x), LRELU_SLOPE)
            fmap.append(x)
        return torch.flatten(self.conv_post(x), 1, -1), fmap


class HiFiGAN(nn.Module):
    def __init__(self):
        super().__init__()
        self.generator = Generator()
        self.discriminators = nn.ModuleList([PeriodDiscriminator(p) for p in (2, 3, 5)])

    def forward(self, mel, speaker, wav):
        fake = self.generator(mel, speaker)
        loss = F.l1_loss(fake, wav)
        for disc in self.discriminators:
            real_score, real_maps = disc(wav)
            fake_score, fake_maps = disc(fake)
            loss = loss + ((1 - real_score) ** 2).mean() + (fake_score**2).mean()
            for r, f in zip(real_maps, fake_maps):
                loss = loss + F.l1_loss(f, r)
        return loss


gan = HiFiGAN()
gan(torch.randn(3, 24, 20), torch.tensor([0, 5, 2]), torch.randn(3, 1, 320))

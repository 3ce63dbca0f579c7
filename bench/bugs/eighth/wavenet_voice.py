"""A voice from mel spectrograms: WaveNet, one sample after the other."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class CausalConv1d(nn.Conv1d):
    def __init__(self, in_channels, out_channels, kernel_size, dilation=1):
        super().__init__(in_channels, out_channels, kernel_size, dilation=dilation)
        self.left = (kernel_size - 1) * dilation

    def forward(self, x):
        return super().forward(F.pad(x, (self.left, 0)))


class ResidualLayer(nn.Module):
    def __init__(self, residual, gate, skip, cond, kernel_size, dilation):
        super().__init__()
        self.conv = CausalConv1d(residual, gate, kernel_size, dilation)
        self.cond = nn.Conv1d(cond, gate, 1, bias=False)
        self.speaker = nn.Linear(12, gate)
        self.to_skip = nn.Conv1d(gate // 2, skip, 1)
        self.to_out = nn.Conv1d(gate // 2, residual, 1)

    def forward(self, x, c, g):
        h = self.conv(x) + self.cond(c) + self.speaker(g).unsqueeze(-1)
        a, b = h.chunk(2, dim=1)
        h = torch.tanh(a) * torch.sigmoid(b)
        return (x + self.to_out(h)) * math.sqrt(0.5), self.to_skip(h)


class Upsampler(nn.Module):
    def __init__(self, channels, scales):
        super().__init__()
        self.layers = nn.ModuleList()
        for scale in scales:
            self.layers.append(
                nn.ConvTranspose1d(channels, channels, kernel_size=2 * scale, stride=scale, padding=scale // 2)
            )
        self.conv = nn.Conv1d(channels, channels, 3, padding=1)

    def forward(self, mel):
        c = self.conv(mel)
        for layer in self.layers:
            c = F.leaky_relu(layer(c), 0.2)
        return c


class WaveNet(nn.Module):
    def __init__(
        self,
        quantize=64,
        n_mels=20,
        residual_channels=24,
        gate_channels=48,
        skip_channels=32,
        cycles=2,
        layers_per_cycle=3,
        kernel_size=2,
        scales=(4, 4),
        speakers=5,
    ):
        super().__init__()
        self.embed = nn.Embedding(quantize, residual_channels)
        self.speakers = nn.Embedding(speakers, 12)
        self.upsample = Upsampler(n_mels, scales)
        self.layers = nn.ModuleList(
            [
                ResidualLayer(residual_channels, gate_channels, skip_channels, n_mels, kernel_size, 2**i)
                for _ in range(cycles)
                for i in range(layers_per_cycle)
            ]
        )
        self.post = nn.Sequential(
            nn.ReLU(), nn.Conv1d(skip_channels, skip_channels, 1), nn.ReLU(), nn.Conv1d(skip_channels, quantize, 1)
        )

    def forward(self, samples, mel, speaker):
        c = self.upsample(mel)
        g = self.speakers(speaker)
        x = self.embed(samples).transpose(1, 2)
        skips = 0
        for layer in self.layers:
            x, skip = layer(x, c, g)
            skips = skips + skip
        return self.post(skips * math.sqrt(1.0 / len(self.layers)))


class Pitch(nn.Module):
    """The pitch of each frame, which is learned along with the voice."""

    def __init__(self, n_mels=20, hidden=18):
        super().__init__()
        self.rnn = nn.GRU(n_mels, hidden, num_layers=2, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, 1)

    def forward(self, mel):
        h, _ = self.rnn(mel.transpose(1, 2))
        return self.out(h).squeeze(-1)


class Trainer:
    def __init__(self, model, pitch):
        self.model, self.pitch = model, pitch

    def step(self, samples, mel, speaker, f0):
        logits = self.model(samples[:, :-1], mel, speaker)
        loss = F.cross_entropy(logits, samples[:, 1:])
        return loss + F.mse_loss(self.pitch(mel), f0)


if __name__ == "__main__":
    trainer = Trainer(WaveNet(), Pitch())
    samples = torch.randint(0, 64, (2, 161))
    mel = torch.randn(2, 20, 10)
    trainer.step(samples, mel, torch.tensor([0, 3]), torch.rand(2, 10))

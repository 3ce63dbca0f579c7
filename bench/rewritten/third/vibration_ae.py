import torch
import torch.nn as nn
import torch.nn.functional as F


class PeakNormalize(nn.Module):
    """Brings raw accelerometer batches to unit peak."""

    def __init__(self, eps: float = 1e-6):
        super().__init__()
        self.eps = eps

    @torch.no_grad()
    def forward(self, signal):
        peak = signal.abs().max().item()
        return signal / (peak + self.eps)


class Encoder(nn.Module):
    def __init__(self, channels, dim):
        super().__init__()
        self.c1 = nn.Conv1d(channels, dim, 7, stride=2, padding=3)
        self.c2 = nn.Conv1d(dim, dim, 7, stride=2, padding=3)

    def forward(self, x):
        return self.c2(F.leaky_relu(self.c1(x), 0.2))


class Decoder(nn.Module):
    def __init__(self, dim, channels):
        super().__init__()
        self.d1 = nn.ConvTranspose1d(dim, dim, 4, stride=2, padding=1)
        self.d2 = nn.ConvTranspose1d(dim, channels, 4, stride=2, padding=1)

    def forward(self, z):
        return self.d2(F.leaky_relu(self.d1(z), 0.2))


class AnomalyAutoencoder(nn.Module):
    def __init__(self, channels=3, dim=12):
        super().__init__()
        self.normalize = PeakNormalize()
        self.encoder = Encoder(channels, dim)
        self.decoder = Decoder(dim, channels)

    def forward(self, signal):
        x = self.normalize(signal)
        recon = self.decoder(self.encoder(x))
        score = (recon - x).pow(2).mean(dim=(1, 2))
        return recon, score


AnomalyAutoencoder()(torch.randn(3, 3, 32))

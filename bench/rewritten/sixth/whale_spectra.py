"""Whale or no whale: power spectra in decibel, then a small convolutional network."""

import numpy as np
import torch
from torch import nn


def to_decibel(power, floor=1e-8, reach=80.0):
    """Power as decibel, not more than `reach` below the loudest of all."""
    p = power.detach().cpu().numpy()
    db = 10.0 * np.log10(np.maximum(p, floor))
    db = np.maximum(db, db.max(axis=(1, 2), keepdims=True) - reach)
    return torch.from_numpy(db).to(power.device)


class WhaleNet(nn.Module):
    def __init__(self, n_fft=64):
        super().__init__()
        self.n_fft = n_fft
        self.register_buffer("window", torch.hann_window(n_fft))
        self.net = nn.Sequential(
            nn.Conv2d(1, 8, 3, stride=2),
            nn.ReLU(),
            nn.Conv2d(8, 16, 3, stride=2),
            nn.ReLU(),
            nn.AdaptiveMaxPool2d(1),
            nn.Flatten(),
            nn.Linear(16, 1),
        )

    def forward(self, wave):
        spectrum = torch.stft(wave, self.n_fft, 32, window=self.window, return_complex=True)
        picture = to_decibel(spectrum.abs().square()) / 80.0
        return self.net(picture.unsqueeze(1)).squeeze(1)


if __name__ == "__main__":
    torch.manual_seed(55)
    wave = torch.randn(8, 1024)
    whale = torch.tensor([1.0, 0.0] * 4)
    wave = wave + whale[:, None] * 3 * torch.sin(0.3 * torch.arange(1024))
    model = WhaleNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(4):
        loss = nn.functional.binary_cross_entropy_with_logits(model(wave), whale)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item())

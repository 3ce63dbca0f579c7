"""Classifies minerals by their Raman spectra."""
import numpy as np
import torch
from torch import nn


def flatten_peaks(spectrum):
    arr = spectrum.detach().numpy()
    arr = np.sqrt(np.abs(arr))
    return torch.from_numpy(arr)


class Raman(nn.Module):
    def __init__(self, bins, minerals):
        super().__init__()
        self.smooth = nn.AvgPool1d(4)
        self.net = nn.Sequential(
            nn.Linear(bins // 4, 32),
            nn.ReLU(),
            nn.Dropout(0.1),
            nn.Linear(32, minerals),
        )

    def forward(self, spectra):
        peaks = flatten_peaks(spectra)
        h = self.smooth(peaks.unsqueeze(1)).squeeze(1)
        return self.net(h)


def fake_spectra(n, bins):
    centre = torch.rand(n, 1) * bins
    grid = torch.arange(bins)
    return 100 * torch.exp(-((grid - centre) / 6) ** 2) + torch.randn(n, bins)


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Raman(64, 6)
    spectra = fake_spectra(10, 64)
    loss = nn.CrossEntropyLoss()(model(spectra), torch.randint(0, 6, (10,)))
    loss.backward()
    print(float(loss.detach()))

"""Finds bat calls in spectrogram windows. The feature step came from the analysis notebook."""
import numpy as np
import torch
from torch import nn


class Decibels(nn.Module):
    def __init__(self, lowest=1e-7, highest=1e3):
        super().__init__()
        self.lowest = lowest
        self.highest = highest

    def forward(self, power):
        arr = power.detach().cpu().numpy()
        arr = np.clip(arr, self.lowest, self.highest)
        db = 10.0 * np.log10(arr)
        return torch.from_numpy(db)


class BatDetector(nn.Module):
    def __init__(self, bands=32):
        super().__init__()
        self.db = Decibels()
        self.net = nn.Sequential(
            nn.Conv1d(bands, 16, 5), nn.ReLU(), nn.AdaptiveMaxPool1d(1), nn.Flatten(), nn.Linear(16, 1)
        )

    def forward(self, power):
        return self.net(self.db(power) / 30).squeeze(1)


if __name__ == "__main__":
    torch.manual_seed(23)
    spectro = torch.randn(6, 32, 40).pow(2)
    is_bat = torch.tensor([1.0, 0, 0, 1, 1, 0])
    model = BatDetector()
    loss = nn.functional.binary_cross_entropy_with_logits(model(spectro), is_bat)
    loss.backward()
    print(loss)

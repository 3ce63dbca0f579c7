import torch
import torch.nn as nn


class BassBoost(nn.Module):
    """Amplifies the lowest bins of a learned spectrum."""

    def __init__(self, samples, bins, cutoff):
        super().__init__()
        self.analysis = nn.Linear(samples, bins, bias=False)
        self.synthesis = nn.Linear(bins, samples, bias=False)
        self.gain = nn.Parameter(torch.full((cutoff,), 1.5))
        self.cutoff = cutoff

    def forward(self, wave):
        spec = self.analysis(wave)
        low = spec.narrow(-1, 0, self.cutoff)
        low.mul_(self.gain)
        return self.synthesis(spec)


class Equalizer(nn.Module):
    def __init__(self, samples=32, bins=20):
        super().__init__()
        self.boost = BassBoost(samples, bins, cutoff=5)

    def forward(self, wave):
        return torch.tanh(self.boost(wave))


Equalizer()(torch.randn(2, 32))

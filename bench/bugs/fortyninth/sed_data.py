"""Clips with tones, chirps and noise, their log-mel features and strong (per frame) labels."""

import math
from dataclasses import dataclass

import torch
from torch.utils.data import Dataset


@dataclass(frozen=True)
class AudioConfig:
    sample_rate: int = 4000
    seconds: float = 1.0
    n_fft: int = 256
    hop: int = 62
    n_mels: int = 32
    classes: tuple[str, ...] = ("beep", "chirp", "hiss")

    @property
    def samples(self) -> int:
        return int(self.sample_rate * self.seconds)

    @property
    def frames(self) -> int:
        return self.samples // self.hop


def mel_filters(cfg: AudioConfig) -> torch.Tensor:
    """Triangular filters, [n_mels, n_fft // 2 + 1]."""
    top = 2595 * math.log10(1 + cfg.sample_rate / 2 / 700)
    mels = torch.linspace(0, top, cfg.n_mels + 2)
    hertz = 700 * (10 ** (mels / 2595) - 1)
    freqs = torch.linspace(0, cfg.sample_rate / 2, cfg.n_fft // 2 + 1)
    up = (freqs - hertz[:-2, None]) / (hertz[1:-1] - hertz[:-2])[:, None]
    down = (hertz[2:, None] - freqs) / (hertz[2:] - hertz[1:-1])[:, None]
    return torch.minimum(up, down).clamp(min=0)


class LogMel:
    def __init__(self, cfg: AudioConfig):
        self.cfg = cfg
        self.filters = mel_filters(cfg)
        self.window = torch.hann_window(cfg.n_fft)

    def __call__(self, wave: torch.Tensor) -> torch.Tensor:
        spec = torch.stft(wave, self.cfg.n_fft, self.cfg.hop, window=self.window, return_complex=True)
        power = spec.abs().pow(2)[..., : self.cfg.frames]
        mel = self.filters @ power
        return torch.log(mel + 1e-5).transpose(0, 1)  # time first


def burst(kind: str, n: int, rate: int) -> torch.Tensor:
    t = torch.arange(n) / rate
    if kind == "beep":
        return torch.sin(2 * math.pi * 800 * t)
    if kind == "chirp":
        return torch.sin(2 * math.pi * (300 + 900 * t) * t)
    return 0.5 * torch.randn(n)


class SyntheticEvents(Dataset):
    def __init__(self, cfg: AudioConfig, count: int, seed: int = 0):
        self.cfg = cfg
        self.count = count
        self.features = LogMel(cfg)
        self.generator = torch.Generator().manual_seed(seed)

    def __len__(self) -> int:
        return self.count

    def _randint(self, low: int, high: int) -> int:
        return int(torch.randint(low, high, (1,), generator=self.generator))

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        cfg = self.cfg
        wave = 0.02 * torch.randn(cfg.samples, generator=self.generator)
        strong = torch.zeros(cfg.frames, len(cfg.classes))
        for _ in range(self._randint(1, 4)):
            k = self._randint(0, len(cfg.classes))
            length = self._randint(cfg.samples // 8, cfg.samples // 3)
            start = self._randint(0, cfg.samples - length)
            wave[start : start + length] += burst(cfg.classes[k], length, cfg.sample_rate)
            strong[start // cfg.hop : (start + length) // cfg.hop, k] = 1.0
        return {"features": self.features(wave), "strong": strong, "weak": strong.amax(dim=0)}

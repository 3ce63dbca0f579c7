import torch
import torch.nn as nn
import torch.nn.functional as F

from .config import AudioConfig


class SpectralTransform(nn.Module):
    def __init__(self, cfg: AudioConfig):
        super().__init__()
        self.n_fft = cfg.n_fft
        self.hop = cfg.hop
        self.register_buffer("window", torch.hann_window(cfg.n_fft))
        self.register_buffer("bin_gain", torch.linspace(1.0, 1.5, cfg.num_bins))

    def analyse(self, wave: torch.Tensor) -> torch.Tensor:
        return torch.stft(wave, self.n_fft, self.hop, window=self.window, return_complex=True)

    def network_input(self, spec: torch.Tensor) -> torch.Tensor:
        """complex [B, bins, frames] -> real [B, 2, bins - 1, frames]"""
        spec = spec[:, 1:]
        planes = torch.view_as_real(spec).permute(0, 3, 1, 2)
        return planes * self.bin_gain.view(1, 1, -1, 1)

    def apply_mask(self, spec: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        mask = F.pad(mask, (0, 0, 1, 0))
        return spec * torch.complex(mask[:, 0], mask[:, 1])

    def synthesise(self, spec: torch.Tensor, length: int) -> torch.Tensor:
        return torch.istft(spec, self.n_fft, self.hop, window=self.window, length=length)

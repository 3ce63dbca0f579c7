"""Encoder, masks and decoder."""

import torch
import torch.nn.functional as F
from torch import nn

from .blocks import ChannelNorm, TemporalBlock
from .config import SeparatorConfig


class MaskNet(nn.Module):
    def __init__(self, cfg: SeparatorConfig):
        super().__init__()
        self.speakers = cfg.speakers
        self.norm = ChannelNorm(cfg.filters)
        self.bottleneck = nn.Conv1d(cfg.filters, cfg.block.bottleneck, 1)
        self.blocks = nn.ModuleList(
            TemporalBlock(cfg.block, 2**i) for _ in range(cfg.repeats) for i in range(cfg.layers)
        )
        self.out = nn.Conv1d(cfg.block.bottleneck, cfg.filters * cfg.speakers, 1)

    def forward(self, w):
        batch, filters, frames = w.shape
        x = self.bottleneck(self.norm(w))
        total = torch.zeros_like(x)
        for block in self.blocks:
            x, skip = block(x)
            total = total + skip
        masks = self.out(F.relu(total)).view(batch, self.speakers, filters, frames)
        return torch.sigmoid(masks)


class Separator(nn.Module):
    def __init__(self, cfg: SeparatorConfig):
        super().__init__()
        self.cfg = cfg
        self.encoder = nn.Conv1d(1, cfg.filters, cfg.window, stride=cfg.hop, bias=False)
        self.masks = MaskNet(cfg)
        self.decoder = nn.ConvTranspose1d(cfg.filters, 1, cfg.window, stride=cfg.hop, bias=False)

    def forward(self, wave):
        w = F.relu(self.encoder(wave.unsqueeze(1)))
        masked = w.unsqueeze(1) * self.masks(w)
        batch, speakers, filters, frames = masked.shape
        out = self.decoder(masked.reshape(batch * speakers, filters, frames))
        return out.view(batch, speakers, -1)


def si_snr(estimate, target):
    """Scale-invariant signal-to-noise ratio of [..., time]."""
    estimate = estimate - estimate.mean(dim=-1, keepdim=True)
    target = target - target.mean(dim=-1, keepdim=True)
    dot = (estimate * target).sum(dim=-1, keepdim=True)
    scaled = dot * target / target.pow(2).sum(dim=-1, keepdim=True).clamp(min=1e-8)
    noise = estimate - scaled
    ratio = scaled.pow(2).sum(dim=-1) / noise.pow(2).sum(dim=-1).clamp(min=1e-8)
    return 10 * torch.log10(ratio + 1e-8)

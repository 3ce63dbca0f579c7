from __future__ import annotations

import torch
import torch.nn as nn
from torch import Tensor


def to_channels_first(x: Tensor) -> Tensor:
    return x.permute(0, 3, 1, 2)


def to_channels_last(x: Tensor) -> Tensor:
    return x.permute(0, 2, 3, 1)


class PatchEmbed(nn.Module):
    def __init__(self, patch: int, dim: int):
        super().__init__()
        self.proj = nn.Conv2d(3, dim, kernel_size=patch, stride=patch)

    def forward(self, images: Tensor) -> Tensor:
        return to_channels_last(self.proj(images))


class PatchScorer(nn.Module):
    def __init__(self, patch: int = 4, dim: int = 12):
        super().__init__()
        self.embed = PatchEmbed(patch, dim)
        self.norm = nn.LayerNorm(dim)
        self.score = nn.Linear(dim, 1)

    def forward(self, images: Tensor) -> Tensor:
        feats = self.norm(self.embed(images))
        grid = to_channels_last(to_channels_first(feats))
        return self.score(grid).squeeze(-1)


PatchScorer()(torch.randn(2, 3, 16, 16))

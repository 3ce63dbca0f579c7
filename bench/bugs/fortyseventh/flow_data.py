"""Textures that are moved by a smooth flow."""

import torch
import torch.nn.functional as F
from torch.utils.data import Dataset

from flow_model import coords_grid, sample_pixels


class MovingTextures(Dataset):
    def __init__(self, count: int, size: tuple[int, int], max_shift: float = 3.0, seed: int = 0):
        self.count, self.size, self.max_shift = count, size, max_shift
        self.seed = seed

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        g = torch.Generator().manual_seed(self.seed + index)
        h, w = self.size
        coarse = torch.rand(1, 3, h // 4, w // 4, generator=g)
        image2 = F.interpolate(coarse, size=(h, w), mode="bilinear", align_corners=True)
        control = torch.randn(1, 2, 3, 4, generator=g) * self.max_shift
        flow = F.interpolate(control, size=(h, w), mode="bicubic", align_corners=True)

        target = coords_grid(1, h, w) + flow
        image1 = sample_pixels(image2, target.permute(0, 2, 3, 1))
        inside_x = (target[:, 0] >= 0) & (target[:, 0] <= w - 1)
        inside_y = (target[:, 1] >= 0) & (target[:, 1] <= h - 1)
        valid = inside_x & inside_y
        return image1[0], image2[0], flow[0], valid[0]

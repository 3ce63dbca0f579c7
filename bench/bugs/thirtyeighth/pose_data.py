"""Stick figures and their heatmaps, made on the fly."""
import math

import torch
from torch.utils.data import Dataset

KEYPOINTS = ["head", "neck", "l_hand", "r_hand", "hip", "l_foot", "r_foot"]
LIMBS = [(0, 1), (1, 2), (1, 3), (1, 4), (4, 5), (4, 6)]


def gaussian(radius, sigma):
    side = torch.arange(-radius, radius + 1, dtype=torch.float32)
    bell = torch.exp(-side ** 2 / (2 * sigma ** 2))
    return bell[:, None] * bell[None, :]


def draw_limb(image, start, end, steps=24):
    """Paints a line between two points (x, y) into an image [3, H, W]."""
    t = torch.linspace(0, 1, steps)[:, None]
    line = start * (1 - t) + end * t
    line = line.round().long()
    image[:, line[:, 1], line[:, 0]] = 1.0
    return image


def make_heatmaps(joints, size, stride, sigma=1.2):
    """[K, 2] joints in pixels -> [K, H/stride, W/stride] heatmaps."""
    radius = int(math.ceil(2 * sigma))
    kernel = gaussian(radius, sigma)
    side = size // stride
    maps = torch.zeros(len(joints), side + 2 * radius, side + 2 * radius)
    for k, joint in enumerate(joints):
        x, y = (joint / stride).long().tolist()
        maps[k, y:y + 2 * radius + 1, x:x + 2 * radius + 1] = kernel
    return maps[:, radius:-radius, radius:-radius]


class StickFigures(Dataset):
    def __init__(self, count, size=64, stride=4, seed=0):
        self.count = count
        self.size = size
        self.stride = stride
        self.generator = torch.Generator().manual_seed(seed)
        base = [[32, 10], [32, 20], [16, 30], [48, 30], [32, 38], [24, 56], [40, 56]]
        self.base = torch.tensor(base, dtype=torch.float32) * size / 64

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        jitter = torch.randn(self.base.shape, generator=self.generator) * 2
        joints = (self.base + jitter).clamp(1, self.size - 2)
        image = torch.zeros(3, self.size, self.size)
        for a, b in LIMBS:
            image = draw_limb(image, joints[a], joints[b])
        visible = torch.rand(len(joints), generator=self.generator) > 0.1
        heat = make_heatmaps(joints, self.size, self.stride)
        return image, joints, visible, heat


def collate(batch):
    images, joints, visible, heat = zip(*batch)
    return torch.stack(images), torch.stack(joints), torch.stack(visible), torch.stack(heat)

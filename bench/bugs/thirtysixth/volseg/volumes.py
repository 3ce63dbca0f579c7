"""Synthetic CT-like volumes, random patches for training, sliding windows for inference."""
import itertools

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import Dataset

def make_case(seed, shape=(24, 28, 20)):
    rng = np.random.default_rng(seed)
    zz, yy, xx = np.meshgrid(*[np.arange(s) for s in shape], indexing="ij")
    label = np.zeros(shape, dtype=np.int64)
    for organ, radius in ((1, 8), (2, 4)):
        c = [rng.integers(radius, s - radius) for s in shape]
        ball = (zz - c[0]) ** 2 + (yy - c[1]) ** 2 + (xx - c[2]) ** 2 < radius ** 2
        label[ball] = organ
    image = label * 0.6 + rng.normal(0, 0.2, shape)
    return image.astype(np.float32), label

class PatchDataset(Dataset):
    def __init__(self, seeds, patch, per_case=2):
        self.cases = [make_case(s) for s in seeds]
        self.patch = patch
        self.per_case = per_case

    def __len__(self):
        return len(self.cases) * self.per_case

    def __getitem__(self, i):
        image, label = self.cases[i // self.per_case]
        corner = [np.random.randint(0, s - p + 1) for s, p in zip(image.shape, self.patch)]
        where = tuple(slice(c, c + p) for c, p in zip(corner, self.patch))
        x = torch.from_numpy(image[where].copy()).unsqueeze(0)
        y = torch.from_numpy(label[where].copy())
        return {"image": x, "label": y}

def window_starts(size, patch, step):
    starts = list(range(0, size - patch + 1, step))
    if starts[-1] != size - patch:
        starts.append(size - patch)
    return starts

def gaussian_weight(patch):
    axes = [torch.exp(-((torch.arange(p) - (p - 1) / 2) / (p / 4)) ** 2 / 2) for p in patch]
    return torch.einsum("i,j,k->ijk", *axes)

@torch.no_grad()
def sliding_window(volume, model, patch, n_classes, overlap=0.5, batch=4):
    """volume [D, H, W] -> class probabilities [n_classes, D, H, W]"""
    size = volume.shape
    short = [max(p - s, 0) for s, p in zip(size, patch)]
    volume = F.pad(volume, (0, short[2], 0, short[1], 0, short[0]))
    steps = [max(int(p * (1 - overlap)), 1) for p in patch]
    starts = [window_starts(s, p, st) for s, p, st in zip(volume.shape, patch, steps)]
    corners = list(itertools.product(*starts))

    weight = gaussian_weight(patch)
    total = torch.zeros(n_classes, *volume.shape)
    norm = torch.zeros(volume.shape)
    for n in range(0, len(corners), batch):
        chunk = corners[n:n + batch]
        crops = [volume[z:z + patch[0], y:y + patch[1], x:x + patch[2]] for z, y, x in chunk]
        logits = model(torch.stack(crops).unsqueeze(1))
        for (z, y, x), prob in zip(chunk, logits.softmax(dim=1)):
            total[:, z:z + patch[0], y:y + patch[1], x:x + patch[2]] += prob * weight
            norm[z:z + patch[0], y:y + patch[1], x:x + patch[2]] += weight
    total = total / norm
    return total[:, :size[0], :size[1], :size[2]]

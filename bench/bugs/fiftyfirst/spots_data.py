"""Random pictures with coloured boxes in them, and what a detector of centres is to find there."""
import torch
from torch.utils.data import Dataset


class BoxesDataset(Dataset):
    def __init__(self, cfg, n):
        self.cfg, self.n = cfg, n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        side, n = self.cfg.side, 1 + i % 4
        size = torch.randint(8, 20, (n, 2), generator=g)
        corner = (torch.rand(n, 2, generator=g) * (side - size)).long()
        kind = torch.randint(self.cfg.n_kinds, (n,), generator=g)
        image = 0.1 * torch.randn(3, side, side, generator=g)
        for (x, y), (w, h), k in zip(corner.tolist(), size.tolist(), kind.tolist()):
            image[k, y : y + h, x : x + w] += 1.0
        boxes = torch.cat([corner + size / 2, size.float()], dim=1)
        return {"image": image, "boxes": boxes, "kind": kind}


def paint_heat(boxes, kind, cfg):
    """One bump for each box, in the map of its kind."""
    axis = torch.arange(cfg.side // cfg.stride) + 0.5
    heat = torch.zeros(cfg.n_kinds, len(axis), len(axis))
    for (cx, cy, w, h), k in zip((boxes / cfg.stride).tolist(), kind.tolist()):
        across = torch.exp(-((axis - cx) ** 2) / (2 * (w / 6) ** 2))
        down = torch.exp(-((axis - cy) ** 2) / (2 * (h / 6) ** 2))
        heat[k] = torch.maximum(heat[k], down[:, None] * across[None, :])
    return heat


def collate(batch, cfg):
    longest = max(len(item["boxes"]) for item in batch)
    boxes = torch.zeros(len(batch), longest, 4)
    real = torch.zeros(len(batch), longest, dtype=torch.bool)
    for i, item in enumerate(batch):
        n = len(item["boxes"])
        boxes[i, :n] = item["boxes"]
        real[i, :n] = True
    image = torch.stack([item["image"] for item in batch])
    heat = torch.stack([paint_heat(item["boxes"], item["kind"], cfg) for item in batch])
    return {"image": image, "heat": heat, "boxes": boxes, "real": real}

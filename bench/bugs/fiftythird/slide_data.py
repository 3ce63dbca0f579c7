"""Slides as bags of tile features: bags differ in size, so a batch is padded."""
import torch
from torch.utils.data import Dataset


class SlideBags(Dataset):
    """A slide is positive where some of its tiles come from a tumour."""

    def __init__(self, data_cfg, seed):
        gen = torch.Generator().manual_seed(seed)
        self.items = []
        tumour = torch.randn(data_cfg["features"], generator=gen)
        for i in range(data_cfg["slides"]):
            n = int(torch.randint(data_cfg["min_tiles"], data_cfg["max_tiles"], (), generator=gen))
            tiles = torch.randn(n, data_cfg["features"], generator=gen)
            label = i % 2
            if label:
                tiles[: n // 4] += tumour
            clinic = torch.tensor([0.5 + 0.1 * label, 0.3, n / data_cfg["max_tiles"]])
            self.items.append({"tiles": tiles, "clinic": clinic, "label": label})

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate_bags(items):
    longest = max(len(it["tiles"]) for it in items)
    tiles = torch.zeros(len(items), longest, items[0]["tiles"].size(1))
    filled = torch.zeros(len(items), longest, dtype=torch.bool)
    for row, it in enumerate(items):
        n = len(it["tiles"])
        tiles[row, :n] = it["tiles"]
        filled[row, :n] = True
    return {
        "tiles": tiles,
        "filled": filled,
        "clinic": torch.stack([it["clinic"] for it in items]),
        "label": torch.tensor([it["label"] for it in items], dtype=torch.float32),
    }

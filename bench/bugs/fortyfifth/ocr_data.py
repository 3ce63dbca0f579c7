"""Synthetic text lines: every symbol is a fixed random glyph, drawn with jitter on a noisy background."""
import torch
import torch.nn.functional as F
from torch.utils.data import Dataset

ALPHABET = "0123456789abcdef"
BLANK = 0
GLYPH_H, GLYPH_W = 20, 12


def make_glyphs(seed=3):
    g = torch.Generator().manual_seed(seed)
    coarse = torch.rand(len(ALPHABET), 1, 5, 3, generator=g)
    return F.interpolate(coarse, size=(GLYPH_H, GLYPH_W), mode="bilinear", align_corners=False).squeeze(1)


class LineDataset(Dataset):
    def __init__(self, n, height=32, min_len=3, max_len=6, seed=0):
        self.n = n
        self.height = height
        self.min_len = min_len
        self.max_len = max_len
        self.glyphs = make_glyphs()
        self.gen = torch.Generator().manual_seed(seed)

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        length = int(torch.randint(self.min_len, self.max_len + 1, (1,), generator=self.gen))
        chars = torch.randint(0, len(ALPHABET), (length,), generator=self.gen)
        width = length * (GLYPH_W + 4) + 8
        image = 0.1 * torch.rand(self.height, width, generator=self.gen)
        left = 4
        for c in chars:
            top = int(torch.randint(2, self.height - GLYPH_H - 2, (1,), generator=self.gen))
            image[top:top + GLYPH_H, left:left + GLYPH_W] = self.glyphs[c]
            left += GLYPH_W + 4
        return image.unsqueeze(0), chars + 1  # 0 is CTC's blank


def collate(batch):
    images, labels = zip(*batch)
    widths = torch.tensor([im.shape[-1] for im in images])
    longest = int(widths.max())
    longest = (longest + 3) // 4 * 4
    padded = torch.stack([F.pad(im, (0, longest - im.shape[-1])) for im in images])
    target_lengths = torch.tensor([len(l) for l in labels])
    return padded, widths, torch.cat(labels), target_lengths

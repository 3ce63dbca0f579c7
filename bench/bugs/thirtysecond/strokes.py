"""Sketches: strokes by an LSTM, pictures by patches, both told apart together."""

import torch
from torch import nn
from torch.nn import functional as F


class Strokes(nn.Module):
    def __init__(self, width=32, heads=4):
        super().__init__()
        self.lstm = nn.LSTM(3, width, batch_first=True, bidirectional=True)
        self.attend = nn.MultiheadAttention(2 * width, heads, batch_first=True)
        self.norm = nn.LayerNorm(2 * width)

    def forward(self, strokes, padded):
        hidden, _ = self.lstm(strokes)
        mixed, _ = self.attend(hidden, hidden, hidden, key_padding_mask=padded)
        hidden = self.norm(hidden + mixed)
        kept = (~padded).unsqueeze(-1).float()
        return (hidden * kept).sum(dim=1) / kept.sum(dim=1)


class Picture(nn.Module):
    def __init__(self, size=32, patch=8, width=48, depth=2, heads=3):
        super().__init__()
        self.patches = nn.Conv2d(1, width, patch, stride=patch)
        self.cls = nn.Parameter(torch.zeros(1, 1, width))
        self.places = nn.Parameter(torch.zeros(1, (size // patch) ** 2 + 1, width))
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, depth)

    def forward(self, images):
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(len(x), -1, -1), x], dim=1) + self.places
        return self.layers(x)[:, 0]


class Sketch(nn.Module):
    def __init__(self, classes=12):
        super().__init__()
        self.strokes, self.picture = Strokes(), Picture()
        self.parts = nn.ModuleList([nn.Linear(64, 40), nn.Linear(48, 40)])
        self.gate = nn.Linear(80, 2)
        self.head = nn.Sequential(nn.LayerNorm(40), nn.Linear(40, classes))

    def forward(self, strokes, padded, images):
        found = [self.strokes(strokes, padded), self.picture(images)]
        a, b = (part(one) for part, one in zip(self.parts, found))
        weights = self.gate(torch.cat([a, b], dim=-1)).softmax(dim=-1)
        mixed = torch.einsum("bk,bkd->bd", weights, torch.stack([a, b], dim=1))
        return self.head(mixed)


def main():
    model = Sketch()
    strokes, images = torch.randn(6, 20, 3), torch.rand(6, 1, 32, 32)
    padded = torch.arange(20)[None, :] >= torch.randint(5, 20, (6, 1))
    labels = torch.randint(0, 12, (6,))
    logits = model(strokes, padded, images)
    loss = F.cross_entropy(logits, labels)
    loss.backward()


if __name__ == "__main__":
    main()

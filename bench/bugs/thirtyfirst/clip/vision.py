import torch
from torch import nn


class Patches(nn.Module):
    def __init__(self, size, patch, width):
        super().__init__()
        self.proj = nn.Conv2d(3, width, patch, stride=patch)
        self.cls = nn.Parameter(torch.zeros(1, 1, width))
        self.pos = nn.Parameter(torch.randn(1, (size // patch) ** 2 + 1, width) * 0.02)

    def forward(self, x):
        x = self.proj(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.size(0), -1, -1), x], dim=1)
        return x + self.pos


class ImageEncoder(nn.Module):
    def __init__(self, size=64, patch=16, width=192, depth=2, heads=6):
        super().__init__()
        self.width = width
        self.patches = Patches(size, patch, width)
        layer = nn.TransformerEncoderLayer(width, heads, width * 4, batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(width)

    def forward(self, images):
        x = self.blocks(self.patches(images))
        return self.norm(x[:, 0])

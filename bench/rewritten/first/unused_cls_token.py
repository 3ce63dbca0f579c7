import torch
from torch import nn


class Patchify(nn.Module):
    def __init__(self, patch: int, dim: int, channels: int = 1):
        super().__init__()
        self.conv = nn.Conv2d(channels, dim, patch, patch)

    def forward(self, x):
        return self.conv(x).flatten(2).mT


class TinyViT(nn.Module):
    def __init__(self, *, image: int = 16, patch: int = 4, dim: int = 16, classes: int = 10):
        super().__init__()
        tokens = (image // patch) ** 2
        self.patchify = Patchify(patch, dim)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos_embed = nn.Parameter(torch.randn(1, tokens, dim) * 0.02)
        self.encoder = nn.TransformerEncoderLayer(
            dim, nhead=2, dim_feedforward=2 * dim, dropout=0.0, batch_first=True, norm_first=True
        )
        self.head = nn.Linear(dim, classes)

    def forward(self, image):
        x = self.patchify(image) + self.pos_embed
        x = self.encoder(x)
        # mean pooling instead of a class token
        return self.head(x.mean(dim=1))


TinyViT()(torch.randn(2, 1, 16, 16))

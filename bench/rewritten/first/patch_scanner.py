import torch
from torch import nn


class PatchScanner(nn.Module):
    """Slides a window over the signal, one embedding per window."""

    def __init__(self, win: int, hop: int, dim: int):
        super().__init__()
        self.win = win
        self.hop = hop
        self.embed = nn.Sequential(nn.Linear(win, dim), nn.Tanh(), nn.Linear(dim, dim))

    def forward(self, sig):
        n, length = sig.shape
        feats = None
        start = 0
        while start + self.win <= length:
            piece = sig[:, start:start + self.win]
            piece = piece - piece.mean(dim=1, keepdim=True)

            f = self.embed(piece).unsqueeze(1)
            if feats is None:
                feats = f
            else:
                feats = torch.cat((feats, f), dim=1)
            start += self.hop
        return feats


PatchScanner(8, 4, 16)(torch.randn(2, 32))

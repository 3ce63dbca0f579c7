"""Words from their characters: convolutions of several widths, the strongest answer of each filter."""

import torch
import torch.nn as nn

from .highway import Highway


class CharEncoder(nn.Module):
    def __init__(self, chars, dim, filters, out_dim):
        super().__init__()
        self.embed = nn.Embedding(chars, dim, padding_idx=0)
        self.convs = nn.ModuleList(nn.Conv1d(dim, count, kernel_size=width) for width, count in filters)
        total = sum(count for _, count in filters)
        self.highway = Highway(total)
        self.proj = nn.Linear(total, out_dim)

    def forward(self, chars):
        # chars: [batch, words, letters]
        b, w, n = chars.shape
        x = self.embed(chars.view(b * w, n)).transpose(1, 2)
        found = [torch.tanh(conv(x)).max(dim=-1).values for conv in self.convs]
        x = self.highway(torch.cat(found, dim=-1))
        return self.proj(x).view(b, w, -1)

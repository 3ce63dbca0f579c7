"""Encoder and decoder over the columns."""

import math

import torch
import torch.nn as nn

from .backbone import ColumnBackbone


class Positions(nn.Module):
    def __init__(self, width, longest=512):
        super().__init__()
        place = torch.arange(longest, dtype=torch.float).unsqueeze(1)
        rate = torch.exp(torch.arange(0, width, 2, dtype=torch.float) * (-math.log(10000.0) / width))
        table = torch.zeros(longest, width)
        table[:, 0::2] = torch.sin(place * rate)
        table[:, 1::2] = torch.cos(place * rate)
        self.register_buffer("table", table.unsqueeze(0))

    def forward(self, x):
        return x + self.table[:, : x.size(1)]


class LineReader(nn.Module):
    def __init__(self, alphabet=96, width=192, heads=6, depth=2, ff=384, pad=0, height=32):
        super().__init__()
        self.pad = pad
        self.width = width
        self.backbone = ColumnBackbone(height=height, width=width)
        self.embed = nn.Embedding(alphabet, width, padding_idx=pad)
        self.positions = Positions(width)
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(width, heads, ff, batch_first=True), depth, enable_nested_tensor=False
        )
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(width, heads, ff, batch_first=True), depth)
        self.norm = nn.LayerNorm(width)
        self.classify = nn.Linear(width, alphabet)

    def encode(self, images):
        return self.encoder(self.positions(self.backbone(images)))

    def forward(self, images, text):
        memory = self.encode(images)
        length = text.size(1)
        causal = torch.triu(torch.ones(length, length, dtype=torch.bool, device=text.device), diagonal=1)
        target = self.positions(self.embed(text) * math.sqrt(self.width))
        out = self.decoder(target, memory, tgt_mask=causal, tgt_key_padding_mask=text == self.pad)
        return self.classify(self.norm(out))

    @torch.no_grad()
    def read(self, images, start=1, longest=8):
        memory = self.encode(images)
        text = torch.full((images.size(0), 1), start, dtype=torch.long, device=images.device)
        for _ in range(longest):
            target = self.positions(self.embed(text) * math.sqrt(self.width))
            out = self.decoder(target, memory)
            best = self.classify(self.norm(out[:, -1])).argmax(dim=-1, keepdim=True)
            text = torch.cat([text, best], dim=1)
        return text

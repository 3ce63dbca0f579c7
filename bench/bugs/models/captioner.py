"""Captions for images: a convolutional encoder, a transformer decoder; in two files."""

import torch
import torch.nn.functional as F
from blocks import ConvBlock, FeedForward, SelfAttention
from torch import nn


class Encoder(nn.Module):
    def __init__(self, dim=64):
        super().__init__()
        self.stem = ConvBlock(3, 32, stride=2)
        self.stage = nn.Sequential(ConvBlock(32, 64, stride=2), ConvBlock(64, 128, stride=2))
        self.project = nn.Linear(128, dim)

    def forward(self, images):
        x = self.stage(self.stem(images))
        return self.project(x.flatten(2).transpose(1, 2))


class DecoderLayer(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention = SelfAttention(dim, heads)
        self.cross = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.feed = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm3 = nn.LayerNorm(dim)

    def forward(self, x, memory, bias):
        x = x + self.attention(self.norm1(x), bias)
        attended, _ = self.cross(self.norm2(x), memory, memory)
        x = x + attended
        return x + self.feed(self.norm3(x))


class Captioner(nn.Module):
    def __init__(self, vocab_size=1000, dim=64, heads=4, depth=2, max_length=32):
        super().__init__()
        self.encoder = Encoder(dim)
        self.words = nn.Embedding(vocab_size, dim)
        self.positions = nn.Parameter(torch.zeros(1, max_length, dim))
        self.layers = nn.ModuleList([DecoderLayer(dim, heads, 4 * dim) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, vocab_size)

    def forward(self, images, tokens):
        memory = self.encoder(images)
        length = tokens.size(1)
        x = self.words(tokens) + self.positions[:, :length]
        bias = torch.full((length, length), float("-inf")).triu(1)
        for layer in self.layers:
            x = layer(x, memory, bias)
        return self.head(self.norm(x))


class CaptionLoss(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, images, tokens):
        logits = self.model(images, tokens[:, :-1])
        return F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])


if __name__ == "__main__":
    model = CaptionLoss(Captioner())
    images = torch.randn(2, 3, 64, 64)
    tokens = torch.randint(0, 1000, (2, 13))
    print(model(images, tokens).item())

"""Questions about pictures: a CNN gives a grid of regions, a GRU reads, words look at regions."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from einops import rearrange


class ImageEncoder(nn.Module):
    def __init__(self, width=24, out_dim=80, grid=7):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, width, 5, stride=2, padding=2),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.Conv2d(width, width * 2, 3, stride=2, padding=1),
            nn.BatchNorm2d(width * 2),
            nn.ReLU(),
            nn.Conv2d(width * 2, out_dim, 3, stride=2, padding=1),
        )
        self.pos = nn.Parameter(torch.randn(1, grid * grid, out_dim) * 0.02)

    def forward(self, image):
        x = self.features(image)
        x = rearrange(x, "b c h w -> b (h w) c")
        return x + self.pos


class QuestionEncoder(nn.Module):
    def __init__(self, vocab=1000, embed=50, hidden=64, max_len=20):
        super().__init__()
        self.words = nn.Embedding(vocab, embed, padding_idx=0)
        self.positions = nn.Embedding(max_len, embed)
        self.gru = nn.GRU(embed, hidden, num_layers=2, batch_first=True)

    def forward(self, question):
        positions = torch.arange(question.size(1), device=question.device)
        x = self.words(question) + self.positions(positions)
        states, last = self.gru(x)
        return states, last[-1]


class CoAttention(nn.Module):
    def __init__(self, q_dim, v_dim, heads):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(q_dim, heads, batch_first=True)
        self.cross_attn = nn.MultiheadAttention(q_dim, heads, kdim=v_dim, vdim=v_dim, batch_first=True)
        self.norm1, self.norm2 = nn.LayerNorm(q_dim), nn.LayerNorm(q_dim)
        self.film = nn.Linear(q_dim, 2 * q_dim)

    def forward(self, words, regions, padding):
        y, _ = self.self_attn(words, words, words, key_padding_mask=padding)
        words = self.norm1(words + y)
        y, weights = self.cross_attn(words, regions, regions)
        words = self.norm2(words + y)
        scale, shift = self.film(words).chunk(2, dim=-1)
        return words * (1 + scale) + shift, weights


class VQA(nn.Module):
    def __init__(self, vocab=1000, answers=40, hidden=64, regions=80, layers=2):
        super().__init__()
        self.image = ImageEncoder(out_dim=regions)
        self.question = QuestionEncoder(vocab, hidden=hidden)
        self.layers = nn.ModuleList([CoAttention(hidden, regions, heads=4) for _ in range(layers)])
        self.project = nn.Linear(regions, hidden)
        self.gate = nn.Bilinear(hidden, hidden, hidden)
        self.classify = nn.Linear(2 * hidden, answers)

    def forward(self, image, question, lengths):
        regions = self.image(image)
        words, last = self.question(question)
        padding = torch.arange(words.size(1))[None] >= lengths[:, None]
        for layer in self.layers:
            words, weights = layer(words, regions, padding)
        keep = (~padding).unsqueeze(-1).float()
        pooled = (words * keep).sum(1) / keep.sum(1)
        context = torch.bmm(weights.mean(1, keepdim=True), self.project(regions)).squeeze(1)
        fused = self.gate(pooled, context)
        return self.classify(torch.cat([fused, last], dim=-1))


if __name__ == "__main__":
    image = torch.randn(3, 3, 56, 56)
    question = torch.randint(1, 1000, (3, 14))
    lengths = torch.tensor([14, 9, 5])
    answer = torch.tensor([1, 0, 39])
    loss = F.cross_entropy(VQA()(image, question, lengths), answer)

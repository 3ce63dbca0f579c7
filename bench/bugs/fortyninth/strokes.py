"""Synthetic online handwriting: every letter is a little Lissajous figure, a word is a chain of them."""

import math
import random

import torch

ALPHABET = " abcdefgh"


def letter(index, points=6):
    """Offsets (dx, dy, pen-up) of one letter."""
    t = torch.linspace(0, 2 * math.pi, points + 1)
    x = torch.sin((1 + index % 3) * t + 0.4 * index) + 0.35 * t
    y = torch.cos((1 + index // 3) * t)
    path = torch.stack([x, y], dim=1)
    offsets = path[1:] - path[:-1]
    pen = torch.zeros(points, 1)
    pen[-1] = 1.0
    return torch.cat([offsets, pen], dim=1)


def word(text, noise=0.05):
    parts = [letter(ALPHABET.index(c)) for c in text]
    strokes = torch.cat(parts, dim=0)
    strokes[:, :2] += noise * torch.randn(len(strokes), 2)
    return strokes


def random_text(rng, low=3, high=6):
    return "".join(rng.choice(ALPHABET[1:]) for _ in range(rng.randint(low, high)))


def statistics(words):
    """Mean and standard deviation of the offsets, over all words."""
    every = torch.cat([w[:, :2] for w in words], dim=0)
    return every.mean(dim=0), every.std(dim=0)


def one_hot(texts):
    width = max(len(t) for t in texts)
    codes = torch.zeros(len(texts), width, len(ALPHABET))
    for i, text in enumerate(texts):
        for j, c in enumerate(text):
            codes[i, j, ALPHABET.index(c)] = 1.0
    return codes


def pad(words):
    lengths = torch.tensor([len(w) for w in words])
    out = torch.zeros(len(words), int(lengths.max()), 3)
    for i, w in enumerate(words):
        out[i, : len(w)] = w
    steps = torch.arange(out.size(1))
    mask = (steps[None, :] < lengths[:, None]).float()
    return out, mask


def batches(count, size, seed=0):
    rng = random.Random(seed)
    texts = [random_text(rng) for _ in range(count * size)]
    words = [word(t) for t in texts]
    mean, std = statistics(words)
    for w in words:
        w[:, :2] = (w[:, :2] - mean) / std
    for start in range(0, len(words), size):
        strokes, mask = pad(words[start : start + size])
        yield strokes, mask, one_hot(texts[start : start + size])

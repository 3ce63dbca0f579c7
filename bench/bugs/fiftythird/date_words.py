"""Dates as people write them, and as machines do, letter by letter."""
import random

import torch

MONTHS = ["january", "february", "march", "april", "may", "june", "july",
          "august", "september", "october", "november", "december"]
PAD, BOS, EOS = 0, 1, 2
SPECIAL = ["<pad>", "<bos>", "<eos>"]
LETTERS = sorted(set("0123456789- " + "".join(MONTHS)))
SIZE = len(SPECIAL) + len(LETTERS)
ID = {letter: i + len(SPECIAL) for i, letter in enumerate(LETTERS)}


def spell(text):
    return [ID[letter] for letter in text] + [EOS]


def read(ids):
    letters = []
    for i in ids:
        if i == EOS:
            break
        letters.append((SPECIAL + LETTERS)[i])
    return "".join(letters)


def pad(rows):
    longest = max(len(r) for r in rows)
    return torch.tensor([r + [PAD] * (longest - len(r)) for r in rows])


def sample_batch(rng: random.Random, n):
    src, tgt = [], []
    for _ in range(n):
        y, m, d = rng.randint(1950, 2049), rng.randint(1, 12), rng.randint(1, 28)
        src.append(spell(f"{d} {MONTHS[m - 1]} {y}"))
        tgt.append([BOS] + spell(f"{y}-{m:02d}-{d:02d}"))
    return pad(src), pad(tgt)

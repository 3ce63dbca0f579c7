"""Synthetic VQA in the spirit of CLEVR: coloured squares on a grid, templated questions."""
import random

import torch
from torch.utils.data import Dataset

COLOURS = ["red", "green", "blue", "grey"]
WORDS = ["<pad>", "how", "many", "is", "there", "a", "left", "of", "?"] + COLOURS
STOI = {w: i for i, w in enumerate(WORDS)}
ANSWERS = ["no", "yes", "0", "1", "2", "3", "4"]
RGB = torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.5, 0.5, 0.5]])


class Squares(Dataset):
    def __init__(self, size, image_size=32, cell=8, seed=0):
        self.rng = random.Random(seed)
        self.image_size, self.cell = image_size, cell
        self.items = [self.make() for _ in range(size)]

    def make(self):
        image = torch.zeros(3, self.image_size, self.image_size)
        side = self.image_size // self.cell
        placed = []
        for spot in self.rng.sample(range(side * side), 4):
            colour = self.rng.randrange(len(COLOURS))
            row, col = divmod(spot, side)
            top, left = row * self.cell, col * self.cell
            patch = RGB[colour][:, None, None].expand(3, self.cell, self.cell)
            image[:, top:top + self.cell, left:left + self.cell] = patch
            placed.append((colour, col))
        if self.rng.random() < 0.5:
            colour = self.rng.randrange(len(COLOURS))
            text = f"how many {COLOURS[colour]} ?"
            answer = str(sum(c == colour for c, _ in placed))
        else:
            a, b = self.rng.sample(range(len(COLOURS)), 2)
            text = f"is there a {COLOURS[a]} left of a {COLOURS[b]} ?"
            cols_a = [x for c, x in placed if c == a]
            cols_b = [x for c, x in placed if c == b]
            answer = "yes" if any(i < j for i in cols_a for j in cols_b) else "no"
        return image, [STOI[w] for w in text.split()], ANSWERS.index(answer)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(batch):
    images, questions, answers = zip(*batch)
    lengths = torch.tensor([len(q) for q in questions])
    ids = torch.zeros(len(questions), int(lengths.max()), dtype=torch.long)
    for row, q in enumerate(questions):
        ids[row, :len(q)] = torch.tensor(q)
    return {
        "images": torch.stack(images),
        "questions": ids,
        "lengths": lengths,
        "answers": torch.tensor(answers),
    }

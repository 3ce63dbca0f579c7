"""Invents names of villages, a letter at a time."""
import torch
from torch import nn

LETTERS = "abcdefghijklmnopqrstuvwxyz."


class NextLetter(nn.Module):
    def __init__(self, context=4, dim=8):
        super().__init__()
        self.context = context
        self.letters = nn.Embedding(len(LETTERS), dim)
        self.net = nn.Sequential(nn.Linear(context * dim, 32), nn.Tanh(), nn.Linear(32, len(LETTERS)))

    def forward(self, ids):
        window = ids[:, -self.context:]
        return self.net(self.letters(window).flatten(1))


@torch.no_grad()
def invent(model, start, letters):
    names = start
    for _ in range(letters):
        weights = model(names).softmax(dim=-1)
        drawn = torch.multinomial(weights, 1)
        names = torch.cat([names, drawn], dim=1)
    return names[:, start.shape[1]:]


def spell(ids):
    return ["".join(LETTERS[i] for i in row).split(".")[0] for row in ids.tolist()]


if __name__ == "__main__":
    torch.manual_seed(0)
    model = NextLetter()
    start = torch.full((4, model.context), LETTERS.index("."))
    for name in spell(invent(model, start, 8)):
        print(name.capitalize())

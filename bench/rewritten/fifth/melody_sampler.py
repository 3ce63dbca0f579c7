"""Samples a melody note by note; each note is chosen from all those before it."""
import torch
from torch import nn


class Melody(nn.Module):
    def __init__(self, notes=24, dim=20):
        super().__init__()
        self.note = nn.Embedding(notes, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.next = nn.Linear(dim, notes)

    def forward(self, melody):
        h, _ = self.rnn(self.note(melody))
        return self.next(h[:, -1])


@torch.no_grad()
def improvise(model, melody, length, heat=1.0, memory=8):
    for _ in range(length):
        logits = model(melody[:, -memory:]) / heat
        note = torch.multinomial(logits.softmax(dim=-1), 1)
        melody = torch.cat([melody, note], dim=1)
    return melody


if __name__ == "__main__":
    torch.manual_seed(37)
    model = Melody().eval()
    opening = torch.tensor([[0, 4, 7], [5, 9, 12]])
    for line in improvise(model, opening, 12).tolist():
        print(*line)

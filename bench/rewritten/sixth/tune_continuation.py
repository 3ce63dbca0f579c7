"""Continues a melody note by note; each note is drawn after looking at all before it."""

import torch
import torch.nn as nn


class MelodyNet(nn.Module):
    def __init__(self, pitches=32, dim=24):
        super().__init__()
        self.pitch = nn.Embedding(pitches, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.next_pitch = nn.Linear(dim, pitches)

    def forward(self, notes):
        states, _ = self.rnn(self.pitch(notes))
        return self.next_pitch(states)

    @torch.no_grad()
    def continue_melody(self, notes, count, temperature=0.9):
        for _ in range(count):
            logits = self(notes)[:, -1] / temperature
            drawn = torch.multinomial(logits.softmax(dim=-1), 1)
            notes = torch.cat([notes, drawn], dim=1)
        return notes


def scales(n, length=16, pitches=32):
    start = torch.randint(0, pitches, (n, 1))
    step = torch.randint(1, 4, (n, 1))
    return (start + step * torch.arange(length)) % pitches


if __name__ == "__main__":
    torch.manual_seed(62)
    model = MelodyNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    notes = scales(24)
    for epoch in range(10):
        scores = model(notes[:, :-1])
        loss = nn.functional.cross_entropy(scores.transpose(1, 2), notes[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("loss", loss.item())
    for melody in model.continue_melody(notes[:2, :4], 12).tolist():
        print(*melody)

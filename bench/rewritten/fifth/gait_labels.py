"""A label for every moment of a walk, from two inertial sensors."""
import torch
from torch import nn


class GaitTagger(nn.Module):
    def __init__(self, signals=12, hidden=20, phases=4):
        super().__init__()
        self.lstm = nn.LSTM(signals, hidden, num_layers=2, batch_first=True)
        self.decode = nn.Sequential(
            nn.LayerNorm(hidden), nn.Linear(hidden, hidden), nn.GELU(), nn.Linear(hidden, phases)
        )

    def forward(self, walk):
        hidden, _ = self.lstm(walk)
        logits = []
        for moment in hidden.unbind(dim=1):
            logits.append(self.decode(moment))
        return torch.stack(logits, dim=1)


def accuracy(logits, phase):
    return (logits.argmax(-1) == phase).float().mean().item()


if __name__ == "__main__":
    torch.manual_seed(20)
    tagger = GaitTagger()
    walk = torch.randn(3, 25, 12)
    phase = torch.randint(0, 4, (3, 25))
    logits = tagger(walk)
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), phase.flatten())
    loss.backward()
    print(loss.item(), accuracy(logits, phase))

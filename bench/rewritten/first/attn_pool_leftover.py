import torch
import torch.nn as nn


class Encoder(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.lstm = nn.LSTM(features, hidden, batch_first=True, bidirectional=True)

    def forward(self, seq):
        out, _ = self.lstm(seq)
        return out


class ActivityNet(nn.Module):
    """Predicts the activity from accelerometer windows."""

    def __init__(self, features=6, hidden=8, classes=5):
        super().__init__()
        self.encoder = Encoder(features, hidden)
        self.dense = nn.Linear(2 * hidden, hidden)
        self.out = nn.Linear(hidden, classes)

    def forward(self, seq):
        states = self.encoder(seq)
        summary = states.mean(dim=1)
        hidden = torch.tanh(self.dense(summary))
        logits = self.out(hidden)

        probs = logits.softmax(dim=-1)

        # cross entropy wants logits
        return logits


ActivityNet()(torch.randn(3, 15, 6))

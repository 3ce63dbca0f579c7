"""Emotion in speech, from mel frames."""
import torch
from torch import nn


class ConvOverTime(nn.Module):
    def __init__(self, mels, dim, kernel=5):
        super().__init__()
        self.conv = nn.Conv1d(mels, dim, kernel, padding=kernel // 2)
        self.act = nn.GELU()
        self.pool = nn.MaxPool1d(2)

    def forward(self, mel):
        """(batch, frames, mels) -> (batch, frames / 2, dim)"""
        h = self.conv(mel.transpose(1, 2))
        h = self.act(h).transpose(1, 2)
        h = h.transpose(1, 2)
        h = self.pool(h)
        return h.transpose(1, 2)


class Emotion(nn.Module):
    def __init__(self, mels=20, dim=16, moods=5):
        super().__init__()
        self.front = ConvOverTime(mels, dim)
        self.rnn = nn.LSTM(dim, dim, batch_first=True, bidirectional=True)
        self.head = nn.Linear(2 * dim, moods)

    def forward(self, mel):
        h, _ = self.rnn(self.front(mel))
        return self.head(h.mean(dim=1))


if __name__ == "__main__":
    torch.manual_seed(0)
    print(Emotion()(torch.randn(3, 30, 20)).softmax(dim=-1))

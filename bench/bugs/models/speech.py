"""Speech commands: convolutions over time, then a recurrent layer; a score of its own for each speaker."""

import torch
import torch.nn.functional as F
from torch import nn


class SpeechNet(nn.Module):
    def __init__(self, n_mels=40, channels=64, hidden=48, num_classes=10, num_speakers=30):
        super().__init__()
        self.conv1 = nn.Conv1d(n_mels, channels, 5, padding=2)
        self.norm1 = nn.BatchNorm1d(channels)
        self.conv2 = nn.Conv1d(channels, channels, 5, padding=2)
        self.norm2 = nn.GroupNorm(8, channels)
        self.pool = nn.MaxPool1d(2)
        self.rnn = nn.GRU(channels, hidden, batch_first=True, bidirectional=True)
        self.speakers = nn.Embedding(num_speakers, 2 * hidden)
        self.attention = nn.Linear(2 * hidden, 1)
        self.classify = nn.Linear(2 * hidden, num_classes)
        self.confidence = nn.Linear(2 * hidden, 1)

    def forward(self, mels, speaker, label, known):
        x = self.pool(F.relu(self.norm1(self.conv1(mels))))
        x = self.pool(F.relu(self.norm2(self.conv2(x))))
        x, _ = self.rnn(x.transpose(1, 2))
        x = x + self.speakers(speaker).unsqueeze(1)
        weights = torch.softmax(self.attention(x).squeeze(-1), dim=1)
        x = torch.bmm(weights.unsqueeze(1), x).squeeze(1)
        logits, confidence = self.classify(x), self.confidence(x).squeeze(-1)
        return F.cross_entropy(logits, label) + F.binary_cross_entropy_with_logits(confidence, known)


if __name__ == "__main__":
    mels = torch.randn(4, 40, 96)
    speaker = torch.randint(0, 30, (4,))
    label = torch.randint(0, 10, (4,))
    known = torch.randint(0, 2, (4,)).float()
    print(SpeechNet()(mels, speaker, label, known).item())

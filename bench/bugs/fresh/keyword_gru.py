"""Keyword spotting on raw audio: strided convolutions, a GRU over time, attention pooling over its states."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ConvStage(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, dropout=0.1):
        super().__init__()
        self.conv = nn.Conv1d(in_channels, out_channels, kernel_size, stride=stride, padding=kernel_size // 2)
        self.bn = nn.BatchNorm1d(out_channels)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        return self.drop(F.gelu(self.bn(self.conv(x))))


class AttentivePooling(nn.Module):
    def __init__(self, features, hidden=32):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(features, hidden), nn.Tanh(), nn.Linear(hidden, 1))

    def forward(self, states, lengths):
        scores = self.score(states).squeeze(-1)
        steps = torch.arange(states.size(1), device=states.device)
        mask = steps[None, :] < lengths[:, None]
        weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=1)
        return (weights.unsqueeze(-1) * states).sum(dim=1)


class KeywordGRU(nn.Module):
    def __init__(self, num_keywords=12, base=24, hidden=40, layers=2):
        super().__init__()
        self.stages = nn.ModuleList(
            [
                ConvStage(1, base, 9, stride=4),
                ConvStage(base, base * 2, 7, stride=4),
                ConvStage(base * 2, base * 4, 5, stride=2),
            ]
        )
        self.gru = nn.GRU(base * 4, hidden, num_layers=layers, batch_first=True, bidirectional=True)
        self.h0 = nn.Parameter(torch.zeros(2 * layers, 1, hidden))
        self.norm = nn.LayerNorm(2 * hidden)
        self.pool = AttentivePooling(2 * hidden)
        self.head = nn.Linear(2 * hidden, num_keywords)
        self.bias_by_device = nn.Embedding(3, num_keywords)

    def features(self, audio):
        x = audio.unsqueeze(1)
        for stage in self.stages:
            x = stage(x)
        return x.permute(0, 2, 1)

    def forward(self, audio, lengths, device_id):
        x = self.features(audio)
        h0 = self.h0.expand(-1, x.size(0), -1).contiguous()
        states, _ = self.gru(x, h0)
        states = self.norm(states)
        pooled = self.pool(states, lengths // 32)
        return self.head(pooled) + self.bias_by_device(device_id)


if __name__ == "__main__":
    net = KeywordGRU()
    audio = torch.randn(4, 3200)
    lengths = torch.tensor([3200, 2400, 1600, 3200])
    device_id = torch.tensor([0, 2, 1, 1])
    logits = net(audio, lengths, device_id)
    print(F.cross_entropy(logits, torch.tensor([3, 0, 11, 5])).item())

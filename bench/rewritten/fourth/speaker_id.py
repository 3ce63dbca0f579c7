import torch
import torch.nn as nn
import torch.nn.functional as F


class SpeechEncoder(nn.Module):
    """LSTM stack over log-mel frames, sequence first."""

    def __init__(self, n_mels: int, hidden: int, layers: int = 2):
        super().__init__()
        self.lstm = nn.LSTM(n_mels, hidden, num_layers=layers)
        self.norm = nn.LayerNorm(hidden)

    def forward(self, mels):
        # mels comes from the loader as (T, B, n_mels)
        out, _ = self.lstm(mels)
        return self.norm(out)


class AttentiveStats(nn.Module):
    def __init__(self, hidden: int, bottleneck: int = 8):
        super().__init__()
        self.down = nn.Linear(hidden, bottleneck)
        self.up = nn.Linear(bottleneck, hidden)

    def forward(self, h):
        w = F.softmax(self.up(torch.tanh(self.down(h))), dim=0)
        mean = (w * h).sum(0)
        second = (w * h * h).sum(0)
        std = (second - mean ** 2).clamp(min=1e-6).sqrt()
        return torch.cat((mean, std), dim=-1)


class SpeakerId(nn.Module):
    def __init__(self, n_mels=20, hidden=16, speakers=6):
        super().__init__()
        self.encoder = SpeechEncoder(n_mels, hidden)
        self.pool = AttentiveStats(hidden)
        self.embed = nn.Linear(2 * hidden, hidden)
        self.out = nn.Linear(hidden, speakers)

    def forward(self, mels):
        e = self.embed(self.pool(self.encoder(mels)))
        return self.out(F.normalize(e, dim=-1))


SpeakerId()(torch.randn(11, 3, 20))

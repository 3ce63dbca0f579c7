import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Subsample(nn.Module):
    """Halves the frame rate."""

    def __init__(self, mels, dim):
        super().__init__()
        self.conv = nn.Conv1d(mels, dim, 3, stride=2, padding=1)

    def forward(self, feats):
        return torch.relu(self.conv(feats.transpose(1, 2))).transpose(1, 2)


class PackedLSTM(nn.Module):
    def __init__(self, dim, layers):
        super().__init__()
        self.lstm = nn.LSTM(dim, dim, layers, batch_first=True, bidirectional=True)

    def forward(self, x, lengths=None):
        if lengths is None:
            lengths = torch.full((x.size(0),), x.size(1), dtype=torch.int64)
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        out, (h, _) = self.lstm(packed)
        out, _ = pad_packed_sequence(out, batch_first=True, total_length=x.size(1))
        return out, h


class UtteranceTagger(nn.Module):
    def __init__(self, mels=12, dim=10, layers=1, intents=4):
        super().__init__()
        self.subsample = Subsample(mels, dim)
        self.rnn = PackedLSTM(dim, layers)
        self.intent = nn.Linear(2 * dim, intents)

    def forward(self, feats, lengths=None):
        if lengths is not None:
            lengths = (lengths + 1) // 2
        out, h = self.rnn(self.subsample(feats), lengths)
        last = torch.cat([h[-2], h[-1]], dim=-1)
        return self.intent(last + out.mean(dim=1))


UtteranceTagger()(torch.randn(3, 11, 12))

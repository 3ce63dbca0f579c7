import torch
from torch import nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from asr_config import AsrConfig


class Tilt(nn.Module):
    """Takes the average slope of speech spectra away."""

    def __init__(self, n_mels: int):
        super().__init__()
        self.register_buffer("slope", torch.linspace(1.0, 0.2, n_mels), persistent=False)

    def forward(self, mels):
        return mels - self.slope


class Subsample(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.conv1 = nn.Conv2d(1, channels, 3, stride=2, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, 3, stride=2, padding=1)

    def forward(self, mels, lengths):
        x = mels.unsqueeze(1)                      # [batch, 1, frames, mels]
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = x.transpose(1, 2).flatten(2)           # [batch, frames / 4, channels * mels / 4]
        return x, (lengths + 3) // 4


class Recogniser(nn.Module):
    def __init__(self, cfg: AsrConfig):
        super().__init__()
        self.cfg = cfg
        self.tilt = Tilt(cfg.n_mels)
        self.subsample = Subsample(cfg.channels)
        self.rnn = nn.GRU(cfg.subsampled, cfg.hidden, num_layers=cfg.layers,
                          bidirectional=True, batch_first=True)
        self.head = nn.Linear(2 * cfg.hidden, cfg.symbols)

    def cover(self, mels):
        """Covers one stretch of frames with the mean of the utterance."""
        width = self.cfg.mask_frames
        start = int(torch.randint(0, mels.size(1) - width, ()))
        mels = mels.clone()
        mels[:, start:start + width] = mels.mean(dim=1, keepdim=True)
        return mels

    def forward(self, mels, lengths):
        x = self.tilt(mels)
        if self.training:
            x = self.cover(x)
        x, lengths = self.subsample(x, lengths)
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        packed, _ = self.rnn(packed)
        x, lengths = pad_packed_sequence(packed, batch_first=True)
        return F.log_softmax(self.head(x), dim=-1), lengths

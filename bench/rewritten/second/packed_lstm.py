from __future__ import annotations

import torch
import torch.nn as nn
from torch import Tensor
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class PackedEncoder(nn.Module):
    def __init__(self, features: int, hidden: int = 10) -> None:
        super().__init__()
        self.lstm = nn.LSTM(features, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, features)

    def forward(self, x: Tensor, lengths: list[int]) -> Tensor:
        sizes = torch.tensor(lengths, dtype=torch.int64)
        packed = pack_padded_sequence(x, sizes, batch_first=True, enforce_sorted=False)
        states, _ = self.lstm(packed)
        padded, _ = pad_packed_sequence(states, batch_first=True, total_length=x.size(1))
        return self.out(padded)


class Denoiser(nn.Module):
    def __init__(self, features: int) -> None:
        super().__init__()
        self.encoder = PackedEncoder(features)

    def forward(self, noisy: Tensor, lengths: list[int]) -> Tensor:
        return noisy - self.encoder(noisy, lengths)


Denoiser(4)(torch.randn(3, 6, 4), [6, 3, 5])

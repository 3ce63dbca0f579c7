import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class PackedLSTM(nn.Module):
    """Bidirectional LSTM that skips the padding.

    lengths may be left out when no row is padded.
    """

    def __init__(self, dim: int, hidden: int):
        super().__init__()
        self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, hidden)

    def forward(self, x, lengths=None):
        n, t, _ = x.shape
        if lengths is None:
            # nothing padded
            lengths = torch.full((n,), t, dtype=torch.long)

        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        y, _ = self.lstm(packed)
        y, _ = pad_packed_sequence(y, batch_first=True, total_length=t)
        return self.out(y)


PackedLSTM(6, 8)(torch.randn(3, 10, 6))

"""Joint CTC / attention speech recogniser (listen, attend and spell)."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class ConvSubsampler(nn.Module):
    """Two strided convolutions: four times fewer frames, four times fewer mel bands."""

    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(1, channels, kernel_size=3, stride=2, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, kernel_size=3, stride=2, padding=1)

    def forward(self, mels, mel_lengths):
        x = mels.unsqueeze(1)                       # B, 1, T, F
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))                   # B, C, T/4, F/4
        x = x.permute(0, 2, 1, 3).flatten(2)        # B, T/4, C*F/4
        lengths = (mel_lengths + 3) // 4
        return x, lengths


class Listener(nn.Module):
    def __init__(self, n_mels, channels, hidden, layers=2):
        super().__init__()
        self.subsample = ConvSubsampler(channels)
        self.rnn = nn.LSTM(channels * (n_mels // 4), hidden, num_layers=layers,
                           batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden, 2 * hidden)

    def forward(self, mels, mel_lengths):
        x, lengths = self.subsample(mels, mel_lengths)
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        packed, (h, _) = self.rnn(packed)
        out, _ = pad_packed_sequence(packed, batch_first=True)
        last = torch.cat([h[-2], h[-1]], dim=-1)
        return out, lengths, torch.tanh(self.bridge(last))


class Speller(nn.Module):
    """A GRU that looks at the listener's frames with multi-head attention."""

    def __init__(self, vocab, emb, dim, heads=4, pad=0):
        super().__init__()
        self.embed = nn.Embedding(vocab, emb, padding_idx=pad)
        self.rnn = nn.GRU(emb, dim, batch_first=True)
        self.attend = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.mix = nn.Linear(2 * dim, dim)
        self.out = nn.Linear(dim, vocab)

    def forward(self, tokens, memory, padding, state):
        x = self.embed(tokens)
        x, _ = self.rnn(x, state.unsqueeze(0))
        context, weights = self.attend(x, memory, memory, key_padding_mask=padding)
        x = torch.tanh(self.mix(torch.cat([x, context], dim=-1)))
        coverage = weights.sum(dim=1)
        return self.out(x), coverage


class SpeechModel(nn.Module):
    def __init__(self, vocab, n_mels=40, channels=8, hidden=24, emb=16):
        super().__init__()
        self.listener = Listener(n_mels, channels, hidden)
        self.speller = Speller(vocab, emb, 2 * hidden)
        self.ctc_head = nn.Linear(2 * hidden, vocab)

    def forward(self, mels, mel_lengths, tokens):
        memory, lengths, state = self.listener(mels, mel_lengths)
        steps = torch.arange(memory.size(1), device=memory.device)
        padding = steps[None, :] >= lengths[:, None]
        logits, coverage = self.speller(tokens, memory, padding, state)
        ctc = self.ctc_head(memory).log_softmax(dim=-1)
        return logits, ctc, lengths, coverage

    @torch.no_grad()
    def greedy(self, mels, mel_lengths, sos, max_len=6):
        memory, lengths, state = self.listener(mels, mel_lengths)
        steps = torch.arange(memory.size(1), device=memory.device)
        padding = steps[None, :] >= lengths[:, None]
        tokens = torch.full((mels.size(0), 1), sos, dtype=torch.long)
        for _ in range(max_len):
            logits, _ = self.speller(tokens, memory, padding, state)
            best = logits[:, -1].argmax(dim=-1)
            tokens = torch.cat([tokens, best[:, None]], dim=1)
        return tokens[:, 1:]

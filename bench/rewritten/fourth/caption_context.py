import torch
import torch.nn as nn


class ClipEncoder(nn.Module):
    """Frames of a clip to one vector."""

    def __init__(self, frame_dim, dim):
        super().__init__()
        self.proj = nn.Linear(frame_dim, dim)
        self.gru = nn.GRU(dim, dim, batch_first=True)

    def forward(self, frames):
        _, h = self.gru(torch.relu(self.proj(frames)))
        return h.squeeze(0)


def add_context(words, ctx):
    t = words.size(1)
    ctx = ctx.unsqueeze(1).repeat(1, t, 1)
    return torch.tanh(words + ctx)


class WordDecoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, words, ctx):
        x = add_context(self.emb(words), ctx)
        y, _ = self.rnn(x)
        return self.out(y)


class Captioner(nn.Module):
    def __init__(self, frame_dim=20, vocab=35, dim=16):
        super().__init__()
        self.encoder = ClipEncoder(frame_dim, dim)
        self.bridge = nn.Linear(dim, dim)
        self.decoder = WordDecoder(vocab, dim)

    def forward(self, frames, words):
        ctx = self.bridge(self.encoder(frames))
        return self.decoder(words, ctx)


Captioner()(torch.randn(2, 6, 20), torch.randint(0, 35, (2, 5)))

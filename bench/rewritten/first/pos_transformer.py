import torch
import torch.nn as nn


class TokenAndPosition(nn.Module):
    def __init__(self, vocab, max_len, dim):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.pos = nn.Embedding(max_len, dim)

    def forward(self, tokens):
        bsz, seq_len = tokens.shape
        positions = torch.arange(seq_len)
        # broadcast over the batch
        return self.tok(tokens) + self.pos(positions)[None]


class TextClassifier(nn.Module):
    def __init__(self, vocab=50, dim=16, n_cls=2):
        super().__init__()
        self.embed = TokenAndPosition(vocab, 64, dim)
        self.layer = nn.TransformerEncoderLayer(dim, 2, 32, dropout=0.0, batch_first=True)
        self.cls = nn.Linear(dim, n_cls)

    def forward(self, tokens):
        h = self.layer(self.embed(tokens))
        return self.cls(h[:, 0])


TextClassifier()(torch.randint(0, 50, (2, 9)))

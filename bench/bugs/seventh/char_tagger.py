"""Names in sentences: characters by a CNN, words by a BiLSTM, tags by a CRF."""

import torch
from torch import nn


def log_sum_exp(x, dim):
    return torch.logsumexp(x, dim=dim)


class CharCNN(nn.Module):
    def __init__(self, n_chars, char_dim=14, filters=22, widths=(2, 3)):
        super().__init__()
        self.embed = nn.Embedding(n_chars, char_dim, padding_idx=0)
        self.convs = nn.ModuleList([nn.Conv1d(char_dim, filters, w, padding=w // 2) for w in widths])
        self.highway = nn.Linear(filters * len(widths), 2 * filters * len(widths))

    def forward(self, chars):
        b, t, c = chars.shape
        x = self.embed(chars.view(b * t, c)).transpose(1, 2)
        pooled = torch.cat([torch.relu(conv(x)).max(dim=2)[0] for conv in self.convs], dim=1)
        carry, gate = self.highway(pooled).chunk(2, dim=-1)
        gate = torch.sigmoid(gate)
        pooled = gate * torch.relu(carry) + (1 - gate) * pooled
        return pooled.view(b, t, -1)


class CRF(nn.Module):
    def __init__(self, n_tags):
        super().__init__()
        self.start = nn.Parameter(torch.zeros(n_tags))
        self.end = nn.Parameter(torch.zeros(n_tags))
        self.transitions = nn.Parameter(torch.randn(n_tags, n_tags) * 0.1)

    def partition(self, emissions, mask):
        alpha = self.start + emissions[:, 0]
        for t in range(1, emissions.size(1)):
            scores = alpha.unsqueeze(2) + self.transitions + emissions[:, t].unsqueeze(1)
            new = log_sum_exp(scores, dim=1)
            alpha = torch.where(mask[:, t].unsqueeze(1), new, alpha)
        return log_sum_exp(alpha + self.end, dim=1)

    def score(self, emissions, tags, mask):
        unary = emissions.gather(2, tags.unsqueeze(2)).squeeze(2)
        pairs = self.transitions[tags[:, :-1], tags[:, 1:]]
        total = (unary * mask).sum(1) + (pairs * mask[:, 1:]).sum(1)
        return total + self.start[tags[:, 0]] + self.end[tags[:, -1]]

    def forward(self, emissions, tags, mask):
        return (self.partition(emissions, mask) - self.score(emissions, tags, mask)).mean()


class Tagger(nn.Module):
    def __init__(self, n_words=180, n_chars=33, n_tags=9, word_dim=26, hidden=32):
        super().__init__()
        self.words = nn.Embedding(n_words, word_dim)
        self.chars = CharCNN(n_chars)
        self.caps = nn.Embedding(4, 6)
        self.lstm = nn.LSTM(word_dim + 44 + 6, hidden, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(0.3)
        self.norm = nn.LayerNorm(2 * hidden)
        self.emit = nn.Linear(2 * hidden, n_tags)
        self.crf = CRF(n_tags)

    def forward(self, words, chars, caps, tags=None):
        mask = words != 0
        x = torch.cat([self.words(words), self.chars(chars), self.caps(caps)], dim=-1)
        out, (h, c) = self.lstm(self.dropout(x))
        emissions = self.emit(self.norm(out))
        if tags is None:
            return emissions.argmax(-1)
        return self.crf(emissions, tags, mask)


if __name__ == "__main__":
    tagger = Tagger()
    words, chars = torch.randint(1, 180, (5, 11)), torch.randint(0, 33, (5, 11, 13))
    caps, tags = torch.randint(0, 4, (5, 11)), torch.randint(0, 9, (5, 11))
    tagger(words, chars, caps)
    tagger(words, chars, caps, tags).backward()

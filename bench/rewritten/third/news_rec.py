import torch
import torch.nn as nn
import torch.nn.functional as F


class TitleEncoder(nn.Module):
    def __init__(self, vocab, word_dim, dim, window=3):
        super().__init__()
        self.words = nn.Embedding(vocab, word_dim, padding_idx=0)
        self.conv = nn.Conv1d(word_dim, dim, window, padding=window // 2)
        self.score = nn.Linear(dim, 1)

    def forward(self, titles):
        x = self.words(titles).transpose(1, 2)
        x = torch.relu(self.conv(x)).transpose(1, 2)
        x = F.dropout(x, p=0.2)
        weights = self.score(torch.tanh(x)).softmax(dim=1)
        return (weights * x).sum(dim=1)


class UserEncoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.gru = nn.GRU(dim, dim, batch_first=True)
        self.cold_start = nn.Parameter(torch.zeros(1, 1, dim))

    def forward(self, clicked):
        h0 = self.cold_start.expand(-1, clicked.size(0), -1).contiguous()
        _, h = self.gru(clicked, h0)
        return h[-1]


class NewsRecommender(nn.Module):
    def __init__(self, vocab=80, word_dim=12, dim=16):
        super().__init__()
        self.title = TitleEncoder(vocab, word_dim, dim)
        self.user = UserEncoder(dim)

    def encode(self, news):
        """(batch, n_news, length) token ids -> (batch, n_news, dim)"""
        b, n, length = news.shape
        return self.title(news.view(b * n, length)).view(b, n, -1)

    def forward(self, clicked, candidates):
        user = self.user(self.encode(clicked))
        cand = self.encode(candidates)
        return torch.bmm(cand, user.unsqueeze(2)).squeeze(2)


NewsRecommender()(torch.randint(1, 80, (2, 4, 6)), torch.randint(1, 80, (2, 3, 6)))

import torch
from torch import nn
import torch.nn.functional as F


class TokenPool(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.emb = nn.EmbeddingBag(vocab, dim, mode="mean")

    def forward(self, tokens):
        return self.emb(tokens)


class Tower(nn.Module):
    def __init__(self, dim, out, p):
        super().__init__()
        self.fc1 = nn.Linear(dim, 2 * dim)
        self.fc2 = nn.Linear(2 * dim, out)
        self.drop = nn.Dropout(p)

    def forward(self, x):
        return self.fc2(self.drop(torch.relu(self.fc1(x))))


class SnippetClassifier(nn.Module):
    def __init__(self, vocab=100, dim=16, n_langs=7, p=0.3, weight=0.5):
        super().__init__()
        self.pool = TokenPool(vocab, dim)
        self.tower = Tower(dim, n_langs, p)
        self.weight = weight

    @staticmethod
    def symmetric_kl(p, q):
        lp, lq = p.log_softmax(-1), q.log_softmax(-1)
        a = F.kl_div(lp, lq, reduction="batchmean", log_target=True)
        b = F.kl_div(lq, lp, reduction="batchmean", log_target=True)
        return 0.5 * (a + b)

    def forward(self, tokens, labels):
        h = self.pool(tokens)

        view_a = self.tower(h)
        view_b = self.tower(h)

        ce = F.cross_entropy(view_a, labels) + F.cross_entropy(view_b, labels)
        return view_a, ce + self.weight * self.symmetric_kl(view_a, view_b)


SnippetClassifier()(torch.randint(0, 100, (4, 12)), torch.tensor([0, 3, 6, 1]))

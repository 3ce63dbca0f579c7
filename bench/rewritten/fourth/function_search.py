import torch
import torch.nn as nn
import torch.nn.functional as F


class CodeEncoder(nn.Module):
    def __init__(self, vocab, dim, p=0.2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.drop = nn.Dropout(p)
        self.gru = nn.GRU(dim, dim, batch_first=True)

    def forward(self, tokens):
        h, _ = self.gru(self.drop(self.emb(tokens)))
        return h.mean(dim=1)


class Projector(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc1 = nn.Linear(dim, dim)
        self.fc2 = nn.Linear(dim, dim)

    def forward(self, h):
        return F.normalize(self.fc2(F.relu(self.fc1(h))), dim=-1)


class FunctionSearch(nn.Module):
    """Embeddings of functions, trained without labels."""

    def __init__(self, vocab=60, dim=16, temperature=0.05):
        super().__init__()
        self.encoder = CodeEncoder(vocab, dim)
        self.projector = Projector(dim)
        self.temperature = temperature

    def embed(self, tokens):
        return self.projector(self.encoder(tokens))

    def forward(self, tokens):
        a = self.embed(tokens)
        b = self.embed(tokens)
        sim = a @ b.t() / self.temperature
        labels = torch.arange(tokens.size(0), device=tokens.device)
        return F.cross_entropy(sim, labels)


FunctionSearch()(torch.randint(0, 60, (4, 8)))

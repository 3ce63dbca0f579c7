import torch
import torch.nn as nn


class Highway(nn.Module):
    def __init__(self, dim, n_layers=2):
        super().__init__()
        self.trans = nn.ModuleList([nn.Linear(dim, dim) for _ in range(n_layers)])
        self.gates = nn.ModuleList([nn.Linear(dim, dim) for _ in range(n_layers)])
        for g in self.gates:
            nn.init.constant_(g.bias, -1.0)

    def forward(self, x):
        for lin, gate in zip(self.trans, self.gates):
            h = torch.relu(lin(x))
            m = torch.sigmoid(gate(x))
            # carry what the gate does not let through
            x = h * m + x * (1 - m)
        return x


class WordModel(nn.Module):
    def __init__(self, vocab=40, dim=10):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.hw = Highway(dim)

    def forward(self, ids):
        return self.hw(self.emb(ids)).mean(1)


WordModel()(torch.randint(0, 40, (3, 6)))

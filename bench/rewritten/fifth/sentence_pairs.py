"""Sentence embeddings from dropout alone: each sentence is its own positive."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, vocab=100, dim=32, p=0.1):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocab, dim, mode="mean")
        self.drop = nn.Dropout(p)
        self.proj = nn.Linear(dim, dim)

    def forward(self, ids):
        pooled = self.bag(ids)
        one = self.proj(self.drop(pooled))
        two = self.proj(self.drop(pooled))
        return F.normalize(one, dim=-1), F.normalize(two, dim=-1)


def info_nce(one, two, temperature=0.05):
    sim = one @ two.mT / temperature
    labels = torch.arange(sim.size(0), device=sim.device)
    return F.cross_entropy(sim, labels)


if __name__ == "__main__":
    torch.manual_seed(33)
    enc = Encoder()
    opt = torch.optim.Adam(enc.parameters(), lr=1e-3)
    for step in range(4):
        one, two = enc(torch.randint(0, 100, (16, 9)))
        loss = info_nce(one, two)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())

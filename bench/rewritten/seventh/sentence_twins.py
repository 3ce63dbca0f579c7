"""Sentence vectors without labels: a sentence is its own positive."""
import torch
import torch.nn.functional as F
from torch import nn


class BagEncoder(nn.Module):
    def __init__(self, words, dim=32):
        super().__init__()
        self.bag = nn.EmbeddingBag(words, dim)
        self.drop = nn.Dropout(0.15)
        self.out = nn.Linear(dim, dim)

    def forward(self, ids):
        return self.out(self.drop(self.bag(ids)))


def twin_loss(encoder, ids, temperature=0.1):
    first = F.normalize(encoder(ids), dim=-1)
    second = F.normalize(encoder(ids), dim=-1)
    similar = first @ second.T / temperature
    return F.cross_entropy(similar, torch.arange(len(ids), device=ids.device))


def main():
    torch.manual_seed(0)
    encoder = BagEncoder(100)
    encoder.train()
    opt = torch.optim.Adam(encoder.parameters(), lr=1e-2)
    for step in range(10):
        ids = torch.randint(0, 100, (16, 9))
        loss = twin_loss(encoder, ids)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print("loss", float(loss.detach()))


if __name__ == "__main__":
    main()

"""Bayesian personalised ranking for songs in playlists."""
import torch
from torch import nn


class Factors(nn.Module):
    def __init__(self, lists, songs, rank=12):
        super().__init__()
        self.lists = nn.Embedding(lists, rank)
        self.songs = nn.Embedding(songs, rank)
        nn.init.normal_(self.lists.weight, std=0.1)
        nn.init.normal_(self.songs.weight, std=0.1)

    def forward(self, who, what):
        return (self.lists(who) * self.songs(what)).sum(-1)


def ranking_loss(good, bad):
    margin = good - bad
    prefers = torch.sigmoid(margin)
    return torch.log(prefers).neg().mean()


def train(model, triples, epochs=4):
    opt = torch.optim.SGD(model.parameters(), lr=0.5, weight_decay=1e-5)
    for epoch in range(epochs):
        for who, liked, other in triples.split(64):
            loss = ranking_loss(model(who, liked), model(who, other))
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
        print(f"{epoch:>3} {loss.detach():.4f}")


class Triples:
    def __init__(self, n, lists, songs):
        self.rows = torch.stack([torch.randint(lists, (n,)), torch.randint(songs, (n,)),
                                 torch.randint(songs, (n,))])

    def split(self, size):
        return [part.unbind(0) for part in self.rows.split(size, dim=1)]


if __name__ == "__main__":
    torch.manual_seed(2)
    train(Factors(50, 80), Triples(512, 50, 80))

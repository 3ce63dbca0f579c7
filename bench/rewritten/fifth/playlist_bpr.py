"""Matrix factorisation for playlists with a pairwise ranking loss."""
import torch
import torch.nn as nn


class Factors(nn.Module):
    def __init__(self, users, songs, k=16):
        super().__init__()
        self.user = nn.Embedding(users, k)
        self.song = nn.Embedding(songs, k)
        self.popularity = nn.Embedding(songs, 1)

    def rate(self, u, s):
        return (self.user(u) * self.song(s)).sum(-1) + self.popularity(s)[..., 0]

    def forward(self, u, liked, other):
        return self.rate(u, liked) - self.rate(u, other)


def bpr(margin, decay=None):
    p_order = torch.sigmoid(margin)
    loglik = p_order.log()
    loss = -loglik.mean()
    if decay is not None:
        loss = loss + decay
    return loss


def main():
    torch.manual_seed(17)
    model = Factors(40, 100)
    opt = torch.optim.Adagrad(model.parameters(), lr=0.1)
    for step in range(6):
        u = torch.randint(0, 40, (64,))
        liked = torch.randint(0, 50, (64,))
        other = torch.randint(50, 100, (64,))
        penalty = 1e-4 * sum(p.square().sum() for p in model.parameters())
        loss = bpr(model(u, liked, other), decay=penalty)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()

"""Two small nets vote on spam; they are trained on their common opinion."""
import torch
import torch.nn.functional as F
from torch import nn


def committee_loss(a, b, words, links, spam):
    by_words = torch.sigmoid(a(words).squeeze(-1))
    by_links = torch.sigmoid(b(links).squeeze(-1))
    opinion = 0.5 * by_words + 0.5 * by_links
    return F.binary_cross_entropy(opinion, spam)


def net(inputs):
    return nn.Sequential(nn.Linear(inputs, 16), nn.ReLU(), nn.Linear(16, 1))


def mails(n):
    words, links = torch.randn(n, 12), torch.randn(n, 3)
    spam = (words[:, 0] + links[:, 0] > 0).float()
    return words, links, spam


def main():
    torch.manual_seed(0)
    a, b = net(12), net(3)
    opt = torch.optim.Adam([*a.parameters(), *b.parameters()], lr=1e-2)
    for step in range(20):
        words, links, spam = mails(32)
        loss = committee_loss(a, b, words, links, spam)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 5 == 0:
            print(step, float(loss.detach()))


if __name__ == "__main__":
    main()

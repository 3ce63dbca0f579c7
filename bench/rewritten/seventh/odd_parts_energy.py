"""Energy scores: which photographs from the belt show no known part?"""
import torch
from torch import nn


def energy(logits, temp=1.5):
    z = logits / temp
    mass = z.exp().sum(dim=1)
    return -temp * mass.log()


def threshold(scores, keep=0.95):
    return torch.quantile(scores, keep)


@torch.no_grad()
def score_all(net, batches):
    net.eval()
    return torch.cat([energy(net(b)) for b in batches])


def separation(inside, outside):
    """Chance that an outsider has the greater energy."""
    return (outside[:, None] > inside[None, :]).float().mean()


def main():
    torch.manual_seed(8)
    net = nn.Sequential(nn.Linear(15, 40), nn.ReLU(), nn.Linear(40, 9))
    known = [torch.randn(20, 15) * 2 for _ in range(5)]
    unknown = [torch.randn(20, 15) * 0.2 for _ in range(2)]
    inside, outside = score_all(net, known), score_all(net, unknown)
    cut = threshold(inside)
    print("cut", float(cut))
    print("flagged", int((outside > cut).sum()), "of", len(outside))
    print("auroc", float(separation(inside, outside)))


if __name__ == "__main__":
    main()

"""Permutation-invariant training on noise."""

from itertools import permutations

import torch
from torch.utils.data import DataLoader, Dataset

from tasnet.config import BlockConfig, SeparatorConfig
from tasnet.model import Separator, si_snr


class Mixtures(Dataset):
    def __init__(self, items=8, samples=4000, speakers=2):
        self.items, self.samples, self.speakers = items, samples, speakers

    def __len__(self):
        return self.items

    def __getitem__(self, index):
        sources = torch.randn(self.speakers, self.samples)
        return sources.sum(dim=0), sources


def pit_loss(estimates, sources):
    speakers = sources.size(1)
    pairwise = si_snr(estimates.unsqueeze(2), sources.unsqueeze(1))
    scores = []
    for order in permutations(range(speakers)):
        index = torch.tensor(order, device=sources.device)
        picked = pairwise.gather(2, index.view(1, -1, 1).expand(pairwise.size(0), -1, 1)).squeeze(-1)
        scores.append(picked.mean(dim=1))
    return -torch.stack(scores, dim=1).max(dim=1).values.mean()


def main():
    cfg = SeparatorConfig(filters=128, layers=3, block=BlockConfig(bottleneck=32, hidden=64))
    model = Separator(cfg)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for mixture, sources in DataLoader(Mixtures(), batch_size=4):
        estimates = model(mixture)
        loss = pit_loss(estimates, sources)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())


if __name__ == "__main__":
    main()

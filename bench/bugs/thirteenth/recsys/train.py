"""Training on made up clicks."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from . import config as cfg
from .model import Recommender

FIELDS = ["dense", "user", "item", "city", "tags", "history", "click", "buy"]


def make_data(n=16):
    ids = [torch.randint(0, rows, (n,)) for rows in cfg.TABLES.values()]
    return TensorDataset(
        torch.randn(n, cfg.NUM_DENSE),
        *ids,
        torch.randint(0, 50, (n, 5)),
        torch.randint(1, cfg.TABLES["item"], (n, cfg.MAX_HISTORY)),
        torch.randint(0, 2, (n,)).float(),
        torch.randint(0, 2, (n,)).float(),
    )


class Trainer:
    def __init__(self, model, lr=1e-3):
        self.model = model
        self.criterion = nn.BCEWithLogitsLoss()
        self.optimizer = torch.optim.Adagrad(model.parameters(), lr=lr)

    def compute_loss(self, batch):
        logits = self.model(batch)
        return sum(self.criterion(logits[task], batch[task]) for task in self.model.tasks)

    def train_epoch(self, loader):
        total = 0.0
        for values in loader:
            batch = dict(zip(FIELDS, values))
            loss = self.compute_loss(batch)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            total += loss.item()
        return total / len(loader)


def main():
    loader = DataLoader(make_data(), batch_size=4, shuffle=True)
    trainer = Trainer(Recommender())
    for epoch in range(1):
        print(epoch, trainer.train_epoch(loader))


if __name__ == "__main__":
    main()

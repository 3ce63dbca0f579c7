import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

from siamese.networks import ContrastiveLoss, ConvTower, SiameseNet


class Pairs(Dataset):
    def __init__(self, n=8, size=56):
        self.images = torch.rand(n, 1, size, size)
        self.labels = torch.arange(n) % 3

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        j = (i * 3 + 1) % len(self)
        same = (self.labels[i] == self.labels[j]).float()
        return self.images[i], self.images[j], same


class Trainer:
    def __init__(self, model, lr=1e-4):
        self.model = model
        self.contrastive = ContrastiveLoss(margin=0.5)
        self.bce = nn.BCEWithLogitsLoss()
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def train_epoch(self, loader):
        self.model.train()
        total = 0.0
        for left, right, same in loader:
            score, a, b = self.model(left, right)
            loss = self.bce(score, same) + self.contrastive(a, b, same)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            total += loss.item()
        return total / len(loader)

    @torch.no_grad()
    def gallery(self, images):
        embeddings = self.model.tower(images)
        similarity = embeddings @ embeddings.t()
        similarity.fill_diagonal_(-1)
        return similarity.max(dim=1)


if __name__ == "__main__":
    data = Pairs()
    trainer = Trainer(SiameseNet(ConvTower()))
    print(trainer.train_epoch(DataLoader(data, batch_size=4)))
    print(trainer.gallery(data.images[:5]))

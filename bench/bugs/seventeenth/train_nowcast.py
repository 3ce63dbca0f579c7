import argparse

import torch
from torch.utils.data import DataLoader, Dataset

from nowcast.model import BalancedLoss, Nowcaster
from nowcast.settings import FRAMES_IN, FRAMES_OUT


class MovingBlobs(Dataset):
    def __init__(self, size, length=8):
        self.size, self.length = size, length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        clip = torch.rand(FRAMES_IN + FRAMES_OUT, 1, self.size, self.size, generator=generator)
        return clip[:FRAMES_IN], clip[FRAMES_IN:]


def train_one_epoch(model, loader, criterion, optimizer):
    model.train()
    total = 0.0
    for past, future in loader:
        predicted = model(past)
        loss = criterion(predicted, future)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item() * past.size(0)
    return total / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=32)
    parser.add_argument("--batch-size", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--lr", type=float, default=1e-3)
    args = parser.parse_args()
    loader = DataLoader(MovingBlobs(args.size), batch_size=args.batch_size, shuffle=True)
    model = Nowcaster()
    criterion = BalancedLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        print(epoch, train_one_epoch(model, loader, criterion, optimizer))


if __name__ == "__main__":
    main()

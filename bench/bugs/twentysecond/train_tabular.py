import torch
import torch.nn as nn
from tabmoe import TabularMoE
from tabmoe.columns import CATEGORIES, NUMERIC
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


def make_data(rows=256):
    categories = torch.stack([torch.randint(0, n, (rows,)) for n in CATEGORIES.values()], dim=1)
    numbers = torch.randn(rows, len(NUMERIC))
    labels = torch.randint(0, 3, (rows,))
    spend = numbers[:, 1] * 2 + torch.randn(rows)
    return TensorDataset(categories, numbers, labels, spend)


def run_epoch(model, loader, criterion, optimizer=None):
    total, hits, count = 0.0, 0, 0
    confusion = torch.zeros(3, 3, dtype=torch.long)
    for categories, numbers, labels, spend in loader:
        logits, value, balance = model(categories, numbers)
        loss = criterion(logits, labels) + nn.functional.huber_loss(value, spend) + 0.01 * balance
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        pred = logits.argmax(dim=1)
        hits += (pred == labels).sum().item()
        confusion += torch.bincount(labels * 3 + pred, minlength=9).view(3, 3)
        total, count = total + loss.item() * len(labels), count + len(labels)
    recall = confusion.diag() / confusion.sum(dim=1).clamp(min=1)
    return total / count, hits / count, recall


def main():
    data = make_data()
    train_set, val_set = torch.utils.data.random_split(data, [192, 64])
    model = TabularMoE(n_classes=3)
    counts = torch.tensor([150.0, 60.0, 46.0])
    criterion = nn.CrossEntropyLoss(weight=counts.sum() / counts, label_smoothing=0.05)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(2):
        loss, acc, _ = run_epoch(model, DataLoader(train_set, 32, shuffle=True), criterion, optimizer)
        model.eval()
        with torch.no_grad():
            val_loss, val_acc, recall = run_epoch(model, DataLoader(val_set, 32), criterion)
        model.train()
        print(epoch, loss, acc, val_loss, val_acc, recall)


if __name__ == "__main__":
    main()

import argparse
import json
import logging
import os
import random
import time

import numpy as np
import torch
import torch.nn as nn
from torch.cuda.amp import GradScaler, autocast
from torch.utils.data import DataLoader, Dataset
from torch.utils.tensorboard import SummaryWriter
from tqdm import tqdm


class Synth(Dataset):
    def __init__(self, n, dim, classes):
        rng = np.random.default_rng(0)
        self.x = rng.normal(size=(n, dim)).astype("float32")
        self.y = rng.integers(0, classes, n)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class Net(nn.Module):
    def __init__(self, dim, hidden, classes, drop=0.1):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Dropout(drop))
        self.head = nn.Linear(hidden, classes)

    def forward(self, x):
        h = self.enc(x)
        return self.head(h)


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)


def evaluate(model, loader, device):
    model.eval()
    correct = total = 0
    with torch.no_grad():
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            pred = model(x).argmax(dim=-1)
            correct += (pred == y).sum().item()
            total += y.size(0)
    return correct / total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", required=True)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--resume", default=None)
    args = parser.parse_args()
    set_seed(0)
    os.makedirs(args.output, exist_ok=True)
    logging.basicConfig(filename=os.path.join(args.output, "log.txt"), level=logging.INFO)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    train = DataLoader(Synth(1024, 40, 7), args.batch_size, shuffle=True, num_workers=4, pin_memory=True)
    val = DataLoader(Synth(256, 40, 7), args.batch_size)
    model = Net(40, 128, 7).to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs)
    scaler = GradScaler()
    writer = SummaryWriter(args.output)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    best = 0.0
    for epoch in range(args.epochs):
        model.train()
        start = time.time()
        for step, (x, y) in enumerate(tqdm(train)):
            x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
            opt.zero_grad(set_to_none=True)
            with autocast():
                logits = model(x)
                loss = criterion(logits, y)
            scaler.scale(loss).backward()
            scaler.unscale_(opt)
            norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(opt)
            scaler.update()
            writer.add_scalar("loss", loss.item(), epoch * len(train) + step)
        sched.step()
        acc = evaluate(model, val, device)
        logging.info("epoch %d %.3f %.1fs", epoch, acc, time.time() - start)
        if acc > best:
            best = acc
            torch.save({"model": model.state_dict(), "epoch": epoch}, os.path.join(args.output, "best.pt"))
    with open(os.path.join(args.output, "result.json"), "w") as f:
        json.dump({"best": best}, f)


if __name__ == "__main__":
    main()

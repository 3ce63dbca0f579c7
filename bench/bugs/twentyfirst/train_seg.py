"""Road segmentation with a UNet: python train_seg.py --epochs 2."""

import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class DoubleConv(nn.Module):
    def __init__(self, in_channels, out_channels, mid_channels=None):
        super().__init__()
        mid_channels = mid_channels or out_channels
        self.net = nn.Sequential(
            nn.Conv2d(in_channels, mid_channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(mid_channels),
            nn.ReLU(inplace=True),
            nn.Conv2d(mid_channels, out_channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(out_channels),
            nn.ReLU(inplace=True),
        )

    def forward(self, x):
        return self.net(x)


class AttentionGate(nn.Module):
    """Lets through what the coarser map looks at."""

    def __init__(self, gate, skip, inner):
        super().__init__()
        self.gate = nn.Conv2d(gate, inner, 1)
        self.skip = nn.Conv2d(skip, inner, 1)
        self.score = nn.Conv2d(inner, 1, 1)

    def forward(self, g, x):
        a = F.relu(self.gate(g) + self.skip(x))
        return x * torch.sigmoid(self.score(a))


class Up(nn.Module):
    def __init__(self, below, skip, out):
        super().__init__()
        self.up = nn.ConvTranspose2d(below, below // 2, 2, stride=2)
        self.gate = AttentionGate(below // 2, skip, out // 2)
        self.conv = DoubleConv(below // 2 + skip, out)

    def forward(self, x, skip):
        x = self.up(x)
        return self.conv(torch.cat([x, self.gate(x, skip)], dim=1))


class UNet(nn.Module):
    def __init__(self, in_channels, classes, base=16):
        super().__init__()
        self.enc1 = DoubleConv(in_channels, base)
        self.enc2 = DoubleConv(base, base * 2)
        self.enc3 = DoubleConv(base * 2, base * 4)
        self.bottom = DoubleConv(base * 4, base * 8)
        self.up3 = Up(base * 8, base * 4, base * 4)
        self.up2 = Up(base * 4, base * 2, base * 2)
        self.up1 = Up(base * 2, base, base)
        self.head = nn.Conv2d(base, classes, 1)
        self.pool = nn.MaxPool2d(2)

    def forward(self, x):
        s1 = self.enc1(x)
        s2 = self.enc2(self.pool(s1))
        s3 = self.enc3(self.pool(s2))
        x = self.bottom(self.pool(s3))
        x = self.up3(x, s3)
        x = self.up2(x, s2)
        x = self.up1(x, s1)
        return self.head(x)


class Roads(Dataset):
    def __init__(self, count, size, seed=0):
        rng = np.random.default_rng(seed)
        self.images = rng.integers(0, 255, (count, size, size, 3), dtype=np.uint8)
        self.masks = rng.integers(0, 4, (count, size, size), dtype=np.int64)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image = torch.from_numpy(self.images[i]).permute(2, 0, 1).float() / 255
        return image, torch.from_numpy(self.masks[i])


def dice_loss(logits, target, eps=1e-6):
    probs = logits.softmax(dim=1)
    onehot = F.one_hot(target, logits.shape[1]).permute(0, 3, 1, 2).float()
    inter = (probs * onehot).sum(dim=(0, 2, 3))
    total = probs.sum(dim=(0, 2, 3)) + onehot.sum(dim=(0, 2, 3))
    return 1 - ((2 * inter + eps) / (total + eps)).mean()


@torch.no_grad()
def evaluate(model, loader, classes):
    model.eval()
    hist = torch.zeros(classes, classes)
    for image, mask in loader:
        pred = model(image).argmax(dim=1)
        keep = mask < classes
        index = mask[keep] * classes + pred[keep]
        hist += torch.bincount(index, minlength=classes**2).reshape(classes, classes)
    iou = hist.diag() / (hist.sum(0) + hist.sum(1) - hist.diag())
    return iou.mean().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--batch-size", type=int, default=4)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--classes", type=int, default=4)
    args = parser.parse_args()

    train = DataLoader(Roads(8, args.size), batch_size=args.batch_size, shuffle=True)
    val = DataLoader(Roads(4, args.size, seed=1), batch_size=args.batch_size)
    model = UNet(3, args.classes)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    weight = torch.tensor([0.5, 1.0, 2.0, 2.0])
    for epoch in range(args.epochs):
        model.train()
        for image, mask in train:
            logits = model(image)
            loss = F.cross_entropy(logits, mask, weight=weight) + dice_loss(logits, mask)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: iou {evaluate(model, val, args.classes):.3f}")


if __name__ == "__main__":
    main()

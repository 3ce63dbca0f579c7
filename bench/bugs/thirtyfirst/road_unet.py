"""Segments roads in aerial pictures."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

CLASSES = 6


class RoadData(Dataset):
    def __init__(self, n=8, size=96):
        self.n, self.size = n, size

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        image = torch.rand(3, self.size, self.size)
        mask = torch.randint(0, CLASSES, (self.size, self.size))
        return image, mask


def block(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1),
        nn.BatchNorm2d(cout),
        nn.ReLU(),
        nn.Conv2d(cout, cout, 3, padding=1),
        nn.BatchNorm2d(cout),
        nn.ReLU(),
    )


class Encoder(nn.Module):
    def __init__(self, chs=(3, 32, 64, 128)):
        super().__init__()
        self.blocks = nn.ModuleList([block(chs[i], chs[i + 1]) for i in range(len(chs) - 1)])
        self.pool = nn.MaxPool2d(2)

    def forward(self, x):
        feats = []
        for blk in self.blocks:
            x = blk(x)
            feats.append(x)
            x = self.pool(x)
        return feats


class Decoder(nn.Module):
    def __init__(self, chs=(128, 64, 32)):
        super().__init__()
        self.ups = nn.ModuleList([nn.ConvTranspose2d(chs[i], chs[i + 1], 2, stride=2) for i in range(len(chs) - 1)])
        self.blocks = nn.ModuleList([block(chs[i], chs[i + 1]) for i in range(len(chs) - 1)])

    def forward(self, x, skips):
        for i in range(len(self.ups)):
            x = self.ups[i](x)
            x = torch.cat([x, skips[i]], dim=1)
            x = self.blocks[i](x)
        return x


class RoadNet(nn.Module):
    def __init__(self, n_classes=CLASSES):
        super().__init__()
        self.encoder = Encoder()
        self.decoder = Decoder()
        self.head = nn.Conv2d(32, n_classes, 1)
        self.edges = nn.Sequential(nn.Conv2d(32, 1, 1), nn.Sigmoid())

    def forward(self, x):
        feats = self.encoder(x)
        out = self.decoder(feats[-1], feats[::-1][1:])
        return self.head(out), self.edges(out)


def edge_target(mask):
    dx = (mask[:, :, 1:] != mask[:, :, :-1]).float()
    return F.pad(dx, (0, 1)).unsqueeze(1)


def iou(logits, mask):
    pred = F.one_hot(logits.argmax(dim=1), CLASSES)
    true = F.one_hot(mask, CLASSES)
    inter = (pred & true).sum(dim=(0, 1, 2))
    union = (pred | true).sum(dim=(0, 1, 2))
    return (inter / union.clamp(min=1)).mean()


def train():
    loader = DataLoader(RoadData(), batch_size=4, shuffle=True)
    model = RoadNet()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(2):
        for image, mask in loader:
            logits, edges = model(image)
            loss = F.cross_entropy(logits, mask)
            loss = loss + F.binary_cross_entropy(edges, edge_target(mask))
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item(), iou(logits, mask))


if __name__ == "__main__":
    train()

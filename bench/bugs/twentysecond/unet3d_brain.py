"""Lesions in MR volumes: a residual U-Net of three dims, supervised at every level of its decoder."""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


def norm(channels, groups=8):
    return nn.GroupNorm(groups, channels)


class ResidualUnit(nn.Module):
    def __init__(self, c_in, c_out, stride=1, dropout=0.0):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv3d(c_in, c_out, 3, stride=stride, padding=1, bias=False),
            norm(c_out),
            nn.PReLU(c_out),
            nn.Dropout3d(dropout),
            nn.Conv3d(c_out, c_out, 3, padding=1, bias=False),
            norm(c_out),
        )
        self.skip = nn.Identity()
        if stride > 1 or c_in != c_out:
            self.skip = nn.Conv3d(c_in, c_out, 1, stride=stride)
        self.act = nn.PReLU(c_out)

    def forward(self, x):
        return self.act(self.body(x) + self.skip(x))


class SqueezeExcite3d(nn.Module):
    def __init__(self, channels, ratio=4):
        super().__init__()
        self.fc1 = nn.Linear(channels, channels // ratio)
        self.fc2 = nn.Linear(channels // ratio, channels)

    def forward(self, x):
        s = x.mean(dim=(2, 3, 4))
        s = torch.sigmoid(self.fc2(F.relu(self.fc1(s))))
        return x * s[:, :, None, None, None]


class UpBlock(nn.Module):
    def __init__(self, c_below, c_skip, c_out):
        super().__init__()
        self.up = nn.ConvTranspose3d(c_below, c_out, kernel_size=2, stride=2)
        self.unit = ResidualUnit(c_out + c_skip, c_out)
        self.se = SqueezeExcite3d(c_out)

    def forward(self, x, skip):
        x = self.up(x)
        x = torch.cat((x, skip), dim=1)
        return self.se(self.unit(x))


class BrainUNet(nn.Module):
    def __init__(self, modalities=4, classes=3, widths=(16, 32, 64, 96)):
        super().__init__()
        self.stem = ResidualUnit(modalities, widths[0])
        self.down = nn.ModuleList()
        for c_in, c_out in zip(widths, widths[1:]):
            self.down.append(ResidualUnit(c_in, c_out, stride=2, dropout=0.1))
        self.up = nn.ModuleList()
        self.heads = nn.ModuleList()
        for below, skip in zip(widths[:0:-1], widths[-2::-1]):
            self.up.append(UpBlock(below, skip, skip))
            self.heads.append(nn.Conv3d(skip, classes, 1))

    def forward(self, volume):
        feats = [self.stem(volume)]
        for block in self.down:
            feats.append(block(feats[-1]))
        x = feats.pop()
        outs = []
        for up, head in zip(self.up, self.heads):
            x = up(x, feats.pop())
            outs.append(head(x))
        return outs[::-1]


def dice_loss(logits, target, eps=1e-5):
    probs = torch.softmax(logits, dim=1)
    onehot = F.one_hot(target, logits.size(1)).movedim(-1, 1).float()
    inter = (probs * onehot).flatten(2).sum(-1)
    total = probs.flatten(2).sum(-1) + onehot.flatten(2).sum(-1)
    return 1 - ((2 * inter + eps) / (total + eps)).mean()


def deep_loss(outs, target, weights):
    loss = 0.0
    for level, logits in enumerate(outs):
        small = F.interpolate(target[:, None].float(), size=logits.shape[2:], mode="nearest").squeeze(1).long()
        ce = F.cross_entropy(logits, small, weight=weights)
        loss = loss + (ce + dice_loss(logits, small)) / 2**level
    return loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--patch", type=int, default=32)
    args = parser.parse_args()
    model = BrainUNet(modalities=4, classes=3)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    class_weights = torch.tensor([0.2, 1.0, 2.0])
    for _ in range(args.epochs):
        volume = torch.randn(2, 4, args.patch, args.patch, args.patch)
        target = torch.randint(0, 3, (2, args.patch, args.patch, args.patch))
        outs = model(volume)
        loss = deep_loss(outs, target, class_weights)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"loss {loss.item():.3f}")


if __name__ == "__main__":
    main()

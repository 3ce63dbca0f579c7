"""CutMix for thin sections of rock, and a few steps of training with it."""
import torch
import torch.nn.functional as F
from torch import nn


def cutmix(imgs, labels, share):
    n, _, h, w = imgs.shape
    order = torch.randperm(n)
    bh, bw = int(h * share), int(w * share)
    top = int(torch.randint(0, h - bh + 1, (1,)))
    left = int(torch.randint(0, w - bw + 1, (1,)))
    rows, cols = torch.arange(h), torch.arange(w)
    in_rows = (rows >= top) & (rows < top + bh)
    in_cols = (cols >= left) & (cols < left + bw)
    box = in_rows[:, None] & in_cols[None, :]
    inside = box.to(imgs.dtype)
    mixed = imgs[order] * inside + imgs * (1 - inside)
    lam = inside.mean()
    return mixed, labels, labels[order], lam


def train(net, imgs, labels, steps):
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    for step in range(steps):
        x, own, other, lam = cutmix(imgs, labels, share=0.5)
        out = net(x)
        loss = (1 - lam) * F.cross_entropy(out, own) + lam * F.cross_entropy(out, other)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, f"{loss.detach():.3f}")


if __name__ == "__main__":
    torch.manual_seed(3)
    net = nn.Sequential(nn.Conv2d(3, 6, 3), nn.ReLU(), nn.AdaptiveMaxPool2d(1), nn.Flatten(),
                        nn.Linear(6, 5))
    train(net, torch.rand(12, 3, 16, 16), torch.randint(0, 5, (12,)), 4)

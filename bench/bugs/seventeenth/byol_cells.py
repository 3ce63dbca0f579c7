"""BYOL on pictures of cells: an online and a target network, a predictor, then a linear probe."""

import argparse
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, in_planes, planes, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(in_planes, planes, kernel_size=3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, kernel_size=3, stride=1, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.shortcut = nn.Sequential()
        if stride != 1 or in_planes != planes * self.expansion:
            self.shortcut = nn.Sequential(
                nn.Conv2d(in_planes, planes * self.expansion, kernel_size=1, stride=stride, bias=False),
                nn.BatchNorm2d(planes * self.expansion),
            )

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += self.shortcut(x)
        return F.relu(out)


class ResNet(nn.Module):
    def __init__(self, block, num_blocks, in_channels=4):
        super().__init__()
        self.in_planes = 16
        self.conv1 = nn.Conv2d(in_channels, 16, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        self.layer1 = self._make_layer(block, 16, num_blocks[0], stride=1)
        self.layer2 = self._make_layer(block, 32, num_blocks[1], stride=2)
        self.layer3 = self._make_layer(block, 64, num_blocks[2], stride=2)
        self.out_dim = 64 * block.expansion

    def _make_layer(self, block, planes, num_blocks, stride):
        layers = []
        for s in [stride] + [1] * (num_blocks - 1):
            layers.append(block(self.in_planes, planes, s))
            self.in_planes = planes * block.expansion
        return nn.Sequential(*layers)

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.layer3(self.layer2(self.layer1(out)))
        out = F.avg_pool2d(out, out.size(-1))
        return out.view(out.size(0), -1)


def mlp(dim, hidden, out):
    return nn.Sequential(nn.Linear(dim, hidden), nn.BatchNorm1d(hidden), nn.ReLU(inplace=True), nn.Linear(hidden, out))


class BYOL(nn.Module):
    def __init__(self, backbone, proj_dim=32, hidden=128, tau=0.99):
        super().__init__()
        self.tau = tau
        self.online = nn.Sequential(backbone, mlp(backbone.out_dim, hidden, proj_dim))
        self.target = copy.deepcopy(self.online)
        for p in self.target.parameters():
            p.requires_grad = False
        self.predictor = mlp(proj_dim, hidden, proj_dim)

    @torch.no_grad()
    def update_target(self):
        for o, t in zip(self.online.parameters(), self.target.parameters()):
            t.data.mul_(self.tau).add_(o.data, alpha=1 - self.tau)

    def forward(self, v1, v2):
        z = self.online(torch.cat([v1, v2], dim=0))
        p1, p2 = self.predictor(z).chunk(2, dim=0)
        with torch.no_grad():
            t1, t2 = self.target(torch.cat([v1, v2], dim=0)).chunk(2, dim=0)
        return (self.regress(p1, t2) + self.regress(p2, t1)).mean()

    @staticmethod
    def regress(p, z):
        return 2 - 2 * F.cosine_similarity(p, z, dim=-1)


class Probe(nn.Module):
    def __init__(self, encoder, classes):
        super().__init__()
        self.encoder = encoder
        self.fc = nn.Linear(encoder.out_dim, classes)

    def forward(self, x):
        with torch.no_grad():
            h = self.encoder(x)
        return self.fc(h)


def views(x):
    noisy = x + 0.1 * torch.randn_like(x)
    gain = 0.8 + 0.4 * torch.rand(x.size(0), x.size(1), 1, 1)
    return torch.flip(noisy, dims=[3]), x * gain


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--crop", type=int, default=32)
    p.add_argument("--batch", type=int, default=6)
    p.add_argument("--classes", type=int, default=5)
    p.add_argument("--blocks", type=int, nargs="+", default=[1, 1, 1])
    return p.parse_args()


def main(args):
    backbone = ResNet(BasicBlock, args.blocks)
    byol = BYOL(backbone)
    opt = torch.optim.SGD([p for p in byol.parameters() if p.requires_grad], lr=0.1)
    for _ in range(2):
        loss = byol(*views(torch.rand(args.batch, 4, args.crop, args.crop)))
        opt.zero_grad()
        loss.backward()
        opt.step()
        byol.update_target()

    probe = Probe(backbone, args.classes)
    images, labels = torch.rand(args.batch, 4, args.crop, args.crop), torch.randint(0, args.classes, (args.batch,))
    for _ in range(2):
        loss = F.cross_entropy(probe(images), labels)
        loss.backward()
    weights = torch.bincount(labels, minlength=args.classes).float()
    per_class = torch.zeros(args.classes).index_add(0, labels, probe(images).argmax(1).eq(labels).float())
    print(per_class / weights.clamp(min=1))


if __name__ == "__main__":
    main(parse())

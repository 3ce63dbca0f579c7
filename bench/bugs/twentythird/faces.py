"""Who is who: one network for both pictures, triplets and an angular margin, attributes beside."""

import argparse
import math

import torch
from torch import nn
from torch.nn import functional as F


def conv_bn(inp, oup, kernel, stride, groups=1):
    return nn.Sequential(
        nn.Conv2d(inp, oup, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(oup), nn.PReLU(oup)
    )


class InvertedResidual(nn.Module):
    def __init__(self, inp, oup, stride, expand):
        super().__init__()
        hidden = inp * expand
        self.use_res = stride == 1 and inp == oup
        self.block = nn.Sequential(
            conv_bn(inp, hidden, 1, 1),
            conv_bn(hidden, hidden, 3, stride, groups=hidden),
            nn.Conv2d(hidden, oup, 1, bias=False),
            nn.BatchNorm2d(oup),
        )

    def forward(self, x):
        return x + self.block(x) if self.use_res else self.block(x)


class FaceNet(nn.Module):
    setting = ((2, 24, 2, 2), (4, 48, 2, 2), (2, 48, 2, 2))  # expand, channels, repeats, stride

    def __init__(self, embedding=128, attributes=6):
        super().__init__()
        layers = [conv_bn(3, 16, 3, 2)]
        inp = 16
        for expand, channels, repeats, stride in self.setting:
            for i in range(repeats):
                layers.append(InvertedResidual(inp, channels, stride if i == 0 else 1, expand))
                inp = channels
        self.features = nn.Sequential(*layers)
        self.last = conv_bn(inp, 192, 1, 1)
        self.gdc = nn.Conv2d(192, 192, 7, groups=192, bias=False)
        self.fc = nn.Linear(192, embedding)
        self.bn = nn.BatchNorm1d(embedding)
        self.attributes = nn.ModuleList([nn.Linear(embedding, 1) for _ in range(attributes)])

    def forward(self, x):
        x = self.gdc(self.last(self.features(x)))
        emb = self.bn(self.fc(x.flatten(1)))
        attrs = torch.cat([head(emb) for head in self.attributes], dim=1)
        return F.normalize(emb, dim=1), attrs


class ArcMargin(nn.Module):
    def __init__(self, embedding, people, s=30.0, m=0.3):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(people, embedding) * 0.01)
        self.s, self.cos_m, self.sin_m = s, math.cos(m), math.sin(m)

    def forward(self, emb, label):
        cosine = F.linear(emb, F.normalize(self.weight))
        sine = (1 - cosine.pow(2)).clamp(min=1e-6).sqrt()
        phi = cosine * self.cos_m - sine * self.sin_m
        one_hot = torch.zeros_like(cosine).scatter(1, label.view(-1, 1), 1.0)
        return self.s * (one_hot * phi + (1 - one_hot) * cosine)


def hard_triplets(emb, label, margin=0.2):
    dist = torch.cdist(emb, emb)
    same = label[:, None] == label[None, :]
    positive = dist.masked_fill(~same, -1.0).max(dim=1).values
    negative = dist.masked_fill(same, 1e4).min(dim=1).values
    return F.relu(positive - negative + margin).mean()


def evaluate(net, pairs=8):
    left, right = torch.rand(pairs, 3, 112, 112), torch.rand(pairs, 3, 112, 112)
    emb, _ = net(torch.cat([left, right]))
    a, b = emb.split(pairs)
    similarity = (a * b).sum(dim=1)
    threshold = similarity.median()
    genuine = torch.arange(pairs) % 2 == 0
    return ((similarity > threshold) == genuine).float().mean()


def main(args):
    net = FaceNet(args.embedding, attributes=6)
    margin = ArcMargin(args.embedding, args.people)
    optimizer = torch.optim.SGD([*net.parameters(), *margin.parameters()], lr=0.05)
    pos_weight = torch.tensor([1.0, 2.0, 1.0, 4.0, 1.5, 1.0])
    for step in range(args.steps):
        images, label = torch.rand(16, 3, 112, 112), torch.randint(0, args.people, (16,))
        attrs = torch.randint(0, 2, (16, 6))
        emb, attr_logits = net(images)
        loss = F.cross_entropy(margin(emb, label), label) + hard_triplets(emb, label)
        loss = loss + F.binary_cross_entropy_with_logits(attr_logits, attrs.float(), pos_weight=pos_weight)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"{step}: {loss.item():.3f}")
    net.eval()
    with torch.no_grad():
        print(evaluate(net).item())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--embedding", type=int, default=128)
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--steps", type=int, default=2)
    main(parser.parse_args())

"""Age, gender and landmarks from one backbone, with learned weights of the tasks."""

from collections import OrderedDict

import torch
from torch import nn
from torch.nn import functional as F

TASKS = {"age": 101, "gender": 2, "landmarks": 10}


def conv_bn(inp, oup, stride):
    return nn.Sequential(
        nn.Conv2d(inp, oup, 3, stride, 1, bias=False), nn.BatchNorm2d(oup), nn.ReLU6(inplace=True)
    )


class InvertedResidual(nn.Module):
    def __init__(self, inp, oup, stride, expand_ratio):
        super().__init__()
        hidden = inp * expand_ratio
        self.use_res_connect = stride == 1 and inp == oup
        self.conv = nn.Sequential(
            nn.Conv2d(inp, hidden, 1, bias=False),
            nn.BatchNorm2d(hidden),
            nn.ReLU6(inplace=True),
            nn.Conv2d(hidden, hidden, 3, stride, 1, groups=hidden, bias=False),
            nn.BatchNorm2d(hidden),
            nn.ReLU6(inplace=True),
            nn.Conv2d(hidden, oup, 1, bias=False),
            nn.BatchNorm2d(oup),
        )

    def forward(self, x):
        if self.use_res_connect:
            return x + self.conv(x)
        return self.conv(x)


class Backbone(nn.Module):
    # t, c, n, s
    cfg = [[1, 16, 1, 1], [4, 24, 2, 2], [4, 40, 2, 2], [4, 80, 1, 2]]

    def __init__(self, out_dim=160):
        super().__init__()
        layers = [conv_bn(3, 32, 2)]
        input_channel = 32
        for t, c, n, s in self.cfg:
            for i in range(n):
                layers.append(InvertedResidual(input_channel, c, s if i == 0 else 1, t))
                input_channel = c
        self.features = nn.Sequential(*layers)
        self.last = nn.Conv2d(input_channel, out_dim, 1)

    def forward(self, x):
        return F.hardswish(self.last(self.features(x)))


class TaskHead(nn.Module):
    def __init__(self, dim, classes, hidden=64):
        super().__init__()
        self.attn = nn.Conv2d(dim, 1, 1)
        self.fc = nn.Sequential(
            OrderedDict([("fc1", nn.Linear(dim, hidden)), ("act", nn.GELU()), ("fc2", nn.Linear(hidden, classes))])
        )

    def forward(self, maps):
        weights = self.attn(maps).flatten(2).softmax(dim=-1)
        pooled = (maps.flatten(2) * weights).sum(dim=-1)
        return self.fc(pooled)


class FaceNet(nn.Module):
    def __init__(self, tasks):
        super().__init__()
        self.backbone = Backbone()
        self.heads = nn.ModuleDict({name: TaskHead(160, n) for name, n in tasks.items()})
        self.log_vars = nn.Parameter(torch.zeros(len(tasks)))

    def forward(self, x):
        maps = self.backbone(x)
        return {name: head(maps) for name, head in self.heads.items()}

    def loss(self, out, batch):
        ages = torch.arange(101, dtype=torch.float32)
        expected = (out["age"].softmax(1) * ages).sum(1)
        losses = torch.stack(
            [
                F.l1_loss(expected, batch["age"]),
                F.cross_entropy(out["gender"], batch["gender"]),
                F.smooth_l1_loss(out["landmarks"].view(-1, 5, 2), batch["landmarks"]),
            ]
        )
        return (torch.exp(-self.log_vars) * losses + self.log_vars).sum()


def train():
    model = FaceNet(TASKS)
    opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for _ in range(2):
        batch = {
            "image": torch.randn(4, 3, 96, 96),
            "age": torch.rand(4) * 100,
            "gender": torch.randint(0, 2, (4,)),
            "landmarks": torch.rand(4, 5, 2),
        }
        loss = model.loss(model(batch["image"]), batch)
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    train()

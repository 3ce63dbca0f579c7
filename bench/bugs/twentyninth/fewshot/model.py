"""Relation network with prototypes, and a head that adapts in an inner loop (ANIL)."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call


def conv_block(c_in, c_out, pool=True):
    layers = [nn.Conv2d(c_in, c_out, 3, padding=1), nn.BatchNorm2d(c_out), nn.ReLU()]
    if pool:
        layers.append(nn.MaxPool2d(2))
    return nn.Sequential(*layers)


class Conv4(nn.Module):
    def __init__(self, in_channels=1, hidden=32):
        super().__init__()
        self.layers = nn.Sequential(
            conv_block(in_channels, hidden),
            conv_block(hidden, hidden),
            conv_block(hidden, hidden, pool=False),
            conv_block(hidden, hidden, pool=False),
        )
        self.out_channels = hidden

    def forward(self, x):
        return self.layers(x)


class Relation(nn.Module):
    """Scores of each query with each prototype, from their feature maps one upon the other."""

    def __init__(self, channels, spatial=7, hidden=16):
        super().__init__()
        self.conv = nn.Sequential(conv_block(2 * channels, channels), conv_block(channels, channels))
        self.score = nn.Sequential(nn.Linear(channels * (spatial // 4) ** 2, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, queries, prototypes):
        q, w = queries.size(0), prototypes.size(0)
        left = queries.unsqueeze(1).expand(-1, w, -1, -1, -1)
        right = prototypes.unsqueeze(0).expand(q, -1, -1, -1, -1)
        pairs = torch.cat([left, right], dim=2).flatten(0, 1)
        return self.score(self.conv(pairs).flatten(1)).view(q, w)


class FewShot(nn.Module):
    def __init__(self, way=5, shot=2, spatial=7):
        super().__init__()
        self.way, self.shot = way, shot
        self.encoder = Conv4()
        self.relation = Relation(self.encoder.out_channels, spatial)
        self.head = nn.Linear(self.encoder.out_channels, way)

    def adapt(self, feats, labels, steps=2, lr=0.1):
        params = dict(self.head.named_parameters())
        for _ in range(steps):
            loss = F.cross_entropy(functional_call(self.head, params, (feats,)), labels)
            grads = torch.autograd.grad(loss, list(params.values()), create_graph=True)
            params = {name: p - lr * g for (name, p), g in zip(params.items(), grads)}
        return params

    def forward(self, images):
        maps = self.encoder(images)
        maps = maps.view(self.way, -1, *maps.shape[1:])
        support, query = maps[:, : self.shot], maps[:, self.shot :]
        relation = self.relation(query.flatten(0, 1), support.mean(dim=1))

        pooled = support.mean(dim=(-1, -2)).flatten(0, 1)
        labels = torch.arange(self.way, device=images.device).repeat_interleave(self.shot)
        params = self.adapt(pooled, labels)
        adapted = functional_call(self.head, params, (query.mean(dim=(-1, -2)).flatten(0, 1),))
        return relation, adapted

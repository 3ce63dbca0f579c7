"""Events of a detector as sets of hits: a set transformer with induced points."""

import math
from dataclasses import dataclass, field

import torch
from torch import nn


@dataclass
class EventConfig:
    hit_dim: int = 5
    width: int = 40
    heads: int = 5
    inducing: int = 8
    depth: int = 2
    seeds: int = 2
    hidden: list = field(default_factory=lambda: [64, 32])
    n_particles: int = 7


class MAB(nn.Module):
    def __init__(self, dim_q, dim_kv, width, heads):
        super().__init__()
        self.heads, self.width = heads, width
        self.fc_q = nn.Linear(dim_q, width)
        self.fc_k = nn.Linear(dim_kv, width)
        self.fc_v = nn.Linear(dim_kv, width)
        self.ln0 = nn.LayerNorm(width)
        self.ln1 = nn.LayerNorm(width)
        self.fc_o = nn.Sequential(nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, width))

    def forward(self, queries, keys, mask=None):
        q, k, v = self.fc_q(queries), self.fc_k(keys), self.fc_v(keys)
        split = self.width // self.heads
        q_ = torch.cat(q.split(split, dim=2), dim=0)
        k_ = torch.cat(k.split(split, dim=2), dim=0)
        v_ = torch.cat(v.split(split, dim=2), dim=0)
        scores = q_.bmm(k_.transpose(1, 2)) / math.sqrt(self.width)
        if mask is not None:
            scores = scores.masked_fill(mask.repeat(self.heads, 1).unsqueeze(1), -1e9)
        out = torch.cat((q_ + torch.softmax(scores, 2).bmm(v_)).split(queries.size(0), 0), dim=2)
        out = self.ln0(out)
        return self.ln1(out + self.fc_o(out))


class ISAB(nn.Module):
    def __init__(self, dim_in, width, heads, inducing):
        super().__init__()
        self.points = nn.Parameter(torch.randn(1, inducing, width))
        self.mab0 = MAB(width, dim_in, width, heads)
        self.mab1 = MAB(dim_in, width, width, heads)

    def forward(self, x, mask=None):
        h = self.mab0(self.points.repeat(x.size(0), 1, 1), x, mask)
        return self.mab1(x, h)


class PMA(nn.Module):
    def __init__(self, width, heads, seeds):
        super().__init__()
        self.seeds = nn.Parameter(torch.randn(1, seeds, width))
        self.mab = MAB(width, width, width, heads)

    def forward(self, x, mask=None):
        return self.mab(self.seeds.repeat(x.size(0), 1, 1), x, mask)


class EventNet(nn.Module):
    def __init__(self, config: EventConfig):
        super().__init__()
        dims = [config.hit_dim] + [config.width] * config.depth
        self.encoder = nn.ModuleList(
            [ISAB(dims[i], config.width, config.heads, config.inducing) for i in range(config.depth)]
        )
        self.pool = PMA(config.width, config.heads, config.seeds)
        layers, last = [], config.width * config.seeds
        for width in config.hidden:
            layers += [nn.Linear(last, width), nn.BatchNorm1d(width), nn.ReLU()]
            last = width
        self.mlp = nn.Sequential(*layers)
        self.particle = nn.Linear(config.hidden[-1], config.n_particles)
        self.momentum = nn.Bilinear(config.hidden[-1], config.hit_dim, 3)

    def forward(self, hits, lengths):
        mask = torch.arange(hits.size(1))[None, :] >= lengths[:, None]
        x = hits
        for block in self.encoder:
            x = block(x, mask)
        pooled = self.pool(x, mask).flatten(1)
        h = self.mlp(pooled)
        keep = (~mask).unsqueeze(-1).float()
        centre = (hits * keep).sum(dim=1) / lengths.unsqueeze(1)
        return self.particle(h), self.momentum(h, centre)


class EventLoss(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, hits, lengths, kinds, momenta):
        logits, found = self.net(hits, lengths)
        return nn.functional.cross_entropy(logits, kinds) + nn.functional.mse_loss(found, momenta)


def run():
    loss = EventLoss(EventNet(EventConfig()))
    hits, lengths = torch.randn(4, 30, 5), torch.tensor([30, 12, 25, 18])
    return loss(hits, lengths, torch.randint(0, 7, (4,)), torch.randn(4, 3))


if __name__ == "__main__":
    run()

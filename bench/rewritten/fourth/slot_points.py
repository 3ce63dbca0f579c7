import torch
import torch.nn as nn


class PointEncoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, dim), nn.ReLU(), nn.Linear(dim, dim), nn.LayerNorm(dim))

    def forward(self, pts):
        return self.net(pts)


class SlotStep(nn.Module):
    """One round of slots competing for points."""

    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        self.q = nn.Linear(dim, dim, bias=False)
        self.kv = nn.Linear(dim, 2 * dim, bias=False)
        self.update = nn.GRUCell(dim, dim)

    def forward(self, slots, feats):
        b, s, d = slots.shape
        q = self.q(slots)
        k, v = self.kv(feats).chunk(2, dim=-1)

        logits = torch.matmul(q, k.transpose(1, 2)) * self.dim ** -0.5
        attn = torch.softmax(logits, dim=1) + 1e-8
        attn = attn / attn.sum(dim=-1, keepdim=True)
        pooled = torch.matmul(attn, v)

        new = self.update(pooled.reshape(b * s, d), slots.reshape(b * s, d))
        return new.view(b, s, d)


class SlotSegmenter(nn.Module):
    def __init__(self, dim=16, slots=3, rounds=2):
        super().__init__()
        self.encoder = PointEncoder(dim)
        self.init = nn.Parameter(torch.randn(1, slots, dim))
        self.step = SlotStep(dim)
        self.rounds = rounds
        self.head = nn.Linear(dim, 4)

    def forward(self, pts):
        feats = self.encoder(pts)
        slots = self.init.expand(pts.size(0), -1, -1)
        for _ in range(self.rounds):
            slots = self.step(slots, feats)
        return self.head(slots)


SlotSegmenter()(torch.randn(2, 20, 3))

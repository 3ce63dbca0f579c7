import torch
from torch import nn
import torch.nn.functional as F


class FrameEncoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(3, dim, 5, padding=2), nn.ReLU(),
            nn.Conv2d(dim, dim, 5, padding=2, stride=2), nn.ReLU(),
        )
        self.norm = nn.LayerNorm(dim)

    def forward(self, frame):
        feats = self.conv(frame)
        return self.norm(feats.flatten(2).transpose(1, 2))


class SlotAttention(nn.Module):
    def __init__(self, dim, n_slots, iters=3):
        super().__init__()
        self.iters = iters
        self.scale = dim ** -0.5
        self.slots_init = nn.Parameter(torch.randn(1, n_slots, dim))
        self.to_q = nn.Linear(dim, dim)
        self.to_kv = nn.Linear(dim, 2 * dim)
        self.gru = nn.GRUCell(dim, dim)
        self.norm = nn.LayerNorm(dim)

    def step(self, slots, k, v):
        b, s, d = slots.shape
        q = self.to_q(self.norm(slots))
        logits = torch.matmul(k, q.transpose(1, 2)) * self.scale
        attn = F.softmax(logits, dim=-1)
        updates = torch.matmul(attn.transpose(1, 2), v)
        slots = self.gru(updates.reshape(-1, d), slots.reshape(-1, d))
        return slots.view(b, s, d)

    def forward(self, inputs):
        k, v = self.to_kv(inputs).chunk(2, dim=-1)
        slots = self.slots_init.expand(inputs.size(0), -1, -1)
        for _ in range(self.iters):
            slots = self.step(slots, k, v)
        return slots


class SceneModel(nn.Module):
    def __init__(self, dim=16, n_slots=4, n_props=5):
        super().__init__()
        self.encoder = FrameEncoder(dim)
        self.slots = SlotAttention(dim, n_slots)
        self.props = nn.Linear(dim, n_props)

    def forward(self, frame):
        return self.props(self.slots(self.encoder(frame)))


SceneModel()(torch.rand(2, 3, 8, 8))

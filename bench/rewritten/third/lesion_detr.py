import torch
import torch.nn as nn
import torch.nn.functional as F


class Backbone(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.c1 = nn.Conv2d(1, dim, 3, stride=2, padding=1)
        self.c2 = nn.Conv2d(dim, dim, 3, stride=2, padding=1)

    def forward(self, scan):
        x = self.c2(F.relu(self.c1(scan)))
        return x.flatten(2).transpose(1, 2)


class CrossAttention(nn.Module):
    def __init__(self, dim, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.q_proj = nn.Linear(dim, dim)
        self.k_proj = nn.Linear(dim, dim)
        self.v_proj = nn.Linear(dim, dim)
        self.o_proj = nn.Linear(dim, dim)

    def _heads(self, x):
        b, n, d = x.shape
        return x.view(b, n, self.n_heads, d // self.n_heads).transpose(1, 2)

    def forward(self, tgt, memory, query_pos, pos):
        q = self._heads(self.q_proj(tgt + query_pos))
        k = self._heads(self.k_proj(memory + pos))
        v = self._heads(self.v_proj(memory))
        y = F.scaled_dot_product_attention(q, k, v)
        return self.o_proj(y.transpose(1, 2).flatten(2))


class LesionDETR(nn.Module):
    def __init__(self, dim=16, n_heads=2, n_queries=5, n_tokens=16):
        super().__init__()
        self.backbone = Backbone(dim)
        self.query_pos = nn.Parameter(torch.randn(n_queries, dim))
        self.pos = nn.Parameter(torch.randn(n_tokens, dim))
        self.cross = CrossAttention(dim, n_heads)
        self.norm = nn.LayerNorm(dim)
        self.box = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, 5))

    def forward(self, scan):
        memory = self.backbone(scan)
        tgt = torch.zeros(scan.size(0), *self.query_pos.shape, device=scan.device, dtype=scan.dtype)
        tgt = self.norm(tgt + self.cross(tgt, memory, self.query_pos, self.pos))
        return self.box(tgt)


LesionDETR()(torch.randn(2, 1, 16, 16))

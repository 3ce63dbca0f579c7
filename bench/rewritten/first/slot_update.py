import torch
import torch.nn as nn


class SlotUpdate(nn.Module):
    def __init__(self, num_slots, dim, eps=1e-8):
        super().__init__()
        self.eps = eps
        self.scale = dim ** -0.5
        self.slots = nn.Parameter(torch.randn(1, num_slots, dim))
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_kv = nn.Linear(dim, 2 * dim, bias=False)
        self.gru = nn.GRUCell(dim, dim)

    def forward(self, inputs, iters=2):
        b, n, d = inputs.shape
        k, v = self.to_kv(inputs).chunk(2, dim=-1)
        slots = self.slots.expand(b, -1, -1)

        for _ in range(iters):
            q = self.to_q(slots)
            dots = torch.einsum("bid,bjd->bij", q, k) * self.scale
            attn = dots.softmax(dim=1) + self.eps
            attn = attn / attn.sum(dim=-1, keepdim=True)
            updates = torch.einsum("bjd,bij->bid", v, attn)
            slots = self.gru(updates.reshape(-1, d), slots.reshape(-1, d)).reshape(b, -1, d)
        return slots


SlotUpdate(4, 16)(torch.randn(2, 9, 16))

import torch
from torch import nn
import torch.nn.functional as F


class SlotRouter(nn.Module):
    # slot attention, one iteration unrolled n_it times
    def __init__(self, d, n_slots=4, n_it=2):
        super().__init__()
        self.mu = nn.Parameter(torch.randn(1, n_slots, d) * 0.2)
        self.n_it = n_it
        self.kv = nn.Linear(d, 2 * d, bias=False)
        self.q = nn.Linear(d, d, bias=False)
        self.ln_x, self.ln_s = nn.LayerNorm(d), nn.LayerNorm(d)
        self.gru = nn.GRUCell(d, d)

    def forward(self, x):
        b, n, d = x.shape
        k, v = self.kv(self.ln_x(x)).chunk(2, dim=-1)
        s = self.mu.expand(b, -1, -1)
        for _ in range(self.n_it):
            q = self.q(self.ln_s(s))
            a = F.softmax(q @ k.mT * d ** -0.5, dim=1) + 1e-8
            a = a / a.sum(dim=-1, keepdim=True)
            upd = a @ v
            s = self.gru(upd.reshape(-1, d), s.reshape(-1, d)).view(b, -1, d)
        return s


SlotRouter(16)(torch.randn(2, 9, 16))

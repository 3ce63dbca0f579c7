import torch
from torch import nn
import torch.nn.functional as F


class MAE1d(nn.Module):
    # masked reconstruction, loss on the hidden patches only
    def __init__(self, p, d=16):
        super().__init__()
        self.p = p
        self.emb = nn.Linear(p, d)
        self.tok = nn.Parameter(torch.zeros(d))
        self.mix = nn.Conv1d(d, d, 3, padding=1)
        self.dec = nn.Linear(d, p)

    def forward(self, x, m):
        x = x.unflatten(-1, (-1, self.p))             # b n p
        h = torch.where(m[..., None], self.tok, self.emb(x))
        h = h + F.gelu(self.mix(h.mT)).mT
        err = (self.dec(h) - x).square().mean(-1)      # b n

        loss = err[m].sum() / m.sum().clamp(min=1)
        return loss


MAE1d(4)(torch.randn(2, 24), torch.rand(2, 6) < .5)

import math
import torch
from torch import nn


class MDN(nn.Module):
    """mixture density net, returns NLL"""
    def __init__(self, d, K=3):
        super().__init__()
        self.K = K
        self.f = nn.Sequential(nn.Linear(d, 24), nn.ELU(), nn.Linear(24, 3 * K))

    def forward(self, x, y):
        lw, mu, ls = self.f(x).chunk(3, dim=-1)
        lw = lw.log_softmax(-1)
        ls = ls.clamp(-4, 4)

        # log N(y; mu, sigma) per component
        z = (y.unsqueeze(-1) - mu) * torch.exp(-ls)
        lp = -.5 * z.square() - ls - .5 * math.log(2 * math.pi)

        e = (lw + lp).exp()
        nll = -e.sum(-1).log().mean()
        return nll


MDN(5)(torch.randn(6, 5), torch.randn(6))

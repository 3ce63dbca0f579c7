import torch
import torch.nn as nn
import torch.nn.functional as F


class Projector(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d_in, d_in), nn.ReLU(), nn.Linear(d_in, d_out))

    def forward(self, x):
        return F.normalize(self.net(x), dim=-1)


class Contrastive(nn.Module):
    def __init__(self, d_in, d_out=8, tau=0.2):
        super().__init__()
        self.proj = Projector(d_in, d_out)
        self.tau = tau

    def forward(self, a, b):
        za, zb = self.proj(a), self.proj(b)
        sim = za @ zb.T / self.tau
        keep = 1 - torch.eye(sim.size(0), device=sim.device, dtype=sim.dtype)

        neg = torch.log((sim.exp() * keep).sum(dim=1))
        return (neg - sim.diagonal()).mean()


Contrastive(10)(torch.randn(5, 10), torch.randn(5, 10))

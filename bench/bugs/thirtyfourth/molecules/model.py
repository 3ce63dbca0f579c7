import math

import torch
from torch import nn


def scatter_sum(src, index, num):
    """Sum the rows of src that have the same index."""
    out = src.new_zeros((num,) + src.shape[1:])
    return out.index_add(0, index, src)


def scatter_mean(src, index, num):
    total = scatter_sum(src, index, num)
    count = scatter_sum(torch.ones(src.shape[0], 1), index, num)
    return total / count.clamp(min=1)


class RadialBasis(nn.Module):
    """Bessel functions with a smooth cutoff."""

    def __init__(self, n_rbf=16, cutoff=5.0):
        super().__init__()
        self.cutoff = cutoff
        self.register_buffer("freqs", math.pi * torch.arange(1, n_rbf + 1) / cutoff)

    def forward(self, dist):
        # dist: (E,) -> (E, n_rbf)
        d = dist.unsqueeze(-1).clamp(min=1e-6)
        rbf = torch.sin(self.freqs * d) / d
        envelope = 0.5 * (torch.cos(math.pi * d / self.cutoff) + 1)
        return rbf * envelope


class Message(nn.Module):
    """PaiNN-like message: scalars s (N, F) and vectors v (N, 3, F)."""

    def __init__(self, dim, n_rbf):
        super().__init__()
        self.phi = nn.Sequential(nn.Linear(dim, dim), nn.SiLU(), nn.Linear(dim, 3 * dim))
        self.filter = nn.Linear(n_rbf, 3 * dim)

    def forward(self, s, v, edge_index, rbf, unit):
        src, dst = edge_index
        w = self.phi(s)[src] * self.filter(rbf)
        ds, gate_v, gate_r = w.chunk(3, dim=-1)
        dv = v[src] * gate_v.unsqueeze(1) + gate_r.unsqueeze(1) * unit.unsqueeze(-1)
        s = s + scatter_sum(ds, dst, s.shape[0])
        v = v + scatter_sum(dv, dst, v.shape[0])
        return s, v


class Update(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.mix = nn.Linear(dim, 2 * dim, bias=False)
        self.net = nn.Sequential(nn.Linear(2 * dim, dim), nn.SiLU(), nn.Linear(dim, 3 * dim))
        self.norm = nn.LayerNorm(dim)

    def forward(self, s, v):
        u, w = self.mix(v).chunk(2, dim=-1)
        w_norm = w.pow(2).sum(dim=1).add(1e-8).sqrt()
        a = self.net(torch.cat([self.norm(s), w_norm], dim=-1))
        a_ss, a_sv, a_vv = a.chunk(3, dim=-1)
        inner = torch.einsum("ncf,ncf->nf", u, w)
        return s + a_ss + a_sv * inner, v + a_vv[:, None, :] * u


class AttentiveReadout(nn.Module):
    """Weighs the atoms of each molecule with a softmax over its atoms only."""

    def __init__(self, dim, heads=4):
        super().__init__()
        self.heads = heads
        self.score = nn.Linear(dim, heads)
        self.value = nn.Linear(dim, dim)

    def forward(self, s, batch, n_mol):
        logit = self.score(s)
        top = torch.full((n_mol, self.heads), float("-inf"))
        top = top.scatter_reduce(0, batch[:, None].expand(-1, self.heads), logit, reduce="amax")
        alpha = (logit - top[batch]).exp()
        alpha = alpha / scatter_sum(alpha, batch, n_mol)[batch]
        value = self.value(s).view(s.shape[0], self.heads, -1)
        pooled = scatter_sum(alpha.unsqueeze(-1) * value, batch, n_mol)
        return pooled.flatten(1)


class MoleculeNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        dim = cfg["dim"]
        self.embed = nn.Embedding(cfg["max_z"], dim)
        self.rbf = RadialBasis(cfg["n_rbf"], cfg["cutoff"])
        self.messages = nn.ModuleList([Message(dim, cfg["n_rbf"]) for _ in range(cfg["layers"])])
        self.updates = nn.ModuleList([Update(dim) for _ in range(cfg["layers"])])
        self.readout = AttentiveReadout(dim, cfg["heads"])
        self.global_norm = nn.BatchNorm1d(dim)
        self.heads = nn.ModuleDict({
            "energy": nn.Sequential(nn.Linear(dim, dim // 2), nn.SiLU(), nn.Linear(dim // 2, 1)),
            "toxic": nn.Linear(dim, cfg["n_tox"]),
            "scaffold": nn.Linear(dim, cfg["n_scaffold"]),
        })
        self.dipole = nn.Linear(dim, 1, bias=False)

    def forward(self, z, pos, edge_index, batch):
        n_mol = int(batch.max()) + 1
        src, dst = edge_index
        diff = pos[dst] - pos[src]
        dist = diff.norm(dim=-1)
        unit = diff / dist.unsqueeze(-1).clamp(min=1e-6)
        rbf = self.rbf(dist)

        s = self.embed(z)
        v = s.new_zeros(s.shape[0], 3, s.shape[1])
        for message, update in zip(self.messages, self.updates):
            s, v = message(s, v, edge_index, rbf, unit)
            s, v = update(s, v)

        g = self.global_norm(self.readout(s, batch, n_mol))
        out = {name: head(g) for name, head in self.heads.items()}
        out["energy"] = out["energy"].squeeze(-1)
        out["dipole"] = scatter_mean(self.dipole(v).squeeze(-1), batch, n_mol)
        return out

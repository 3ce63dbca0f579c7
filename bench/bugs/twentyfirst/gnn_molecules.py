"""Energies of molecules: messages along bonds, added up at atoms by scatter, then over each molecule."""

from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Batch:
    z: torch.Tensor
    pos: torch.Tensor
    edge_index: torch.Tensor
    bond: torch.Tensor
    batch: torch.Tensor
    energy: torch.Tensor


def make_batch(molecules=6, atoms=5, seed=0):
    g = torch.Generator().manual_seed(seed)
    n = molecules * atoms
    batch = torch.arange(molecules).repeat_interleave(atoms)
    same = (batch[:, None] == batch[None, :]) & ~torch.eye(n, dtype=torch.bool)
    edge_index = same.nonzero().t()
    bond = torch.randint(0, 4, (edge_index.size(1),), generator=g)
    z = torch.randint(1, 10, (n,), generator=g)
    return Batch(z, torch.randn(n, 3, generator=g), edge_index, bond, batch, torch.randn(molecules, generator=g))


def scatter_sum(src, index, size):
    out = src.new_zeros(size, *src.shape[1:])
    return out.index_add_(0, index, src)


def scatter_softmax(scores, index, size):
    top = scores.new_full((size, scores.size(1)), float("-inf"))
    top = top.scatter_reduce(0, index[:, None].expand_as(scores), scores, "amax")
    weights = (scores - top[index]).exp()
    return weights / (scatter_sum(weights, index, size)[index] + 1e-12)


class RadialBasis(nn.Module):
    def __init__(self, count=16, cutoff=5.0):
        super().__init__()
        self.register_buffer("centers", torch.linspace(0, cutoff, count))
        self.width = cutoff / count

    def forward(self, distance):
        return torch.exp(-((distance[:, None] - self.centers) ** 2) / self.width**2)


class AttentiveConv(nn.Module):
    def __init__(self, dim, edge_dim, heads=4):
        super().__init__()
        self.heads, self.head_dim = heads, dim // heads
        self.query = nn.Linear(dim, dim)
        self.message = nn.Sequential(nn.Linear(2 * dim + edge_dim, dim), nn.SiLU(), nn.Linear(dim, dim))
        self.score = nn.Parameter(torch.randn(heads, 2 * self.head_dim) * 0.1)
        self.out = nn.Linear(dim, dim)
        self.norm = nn.LayerNorm(dim)

    def forward(self, h, edge_index, edge):
        src, dst = edge_index
        m = self.message(torch.cat([h[src], h[dst], edge], dim=-1)).view(-1, self.heads, self.head_dim)
        q = self.query(h)[dst].view(-1, self.heads, self.head_dim)
        scores = F.leaky_relu((torch.cat([q, m], dim=-1) * self.score).sum(dim=-1))
        alpha = scatter_softmax(scores, dst, h.size(0))
        summed = scatter_sum(alpha.unsqueeze(-1) * m, dst, h.size(0)).flatten(1)
        return self.norm(h + self.out(summed))


class MolNet(nn.Module):
    def __init__(self, dim=32, layers=3, rbf=16, n_bonds=4):
        super().__init__()
        self.atoms = nn.Embedding(20, dim)
        self.bonds = nn.Embedding(n_bonds, 8)
        self.rbf = RadialBasis(rbf)
        self.layers = nn.ModuleList([AttentiveConv(dim, rbf + 8) for _ in range(layers)])
        self.gate = nn.Linear(dim, 1)
        self.readout = nn.Sequential(nn.Linear(2 * dim, dim), nn.SiLU(), nn.Linear(dim, 1))

    def forward(self, data):
        src, dst = data.edge_index
        distance = (data.pos[src] - data.pos[dst]).norm(dim=-1)
        edge = torch.cat([self.rbf(distance), self.bonds(data.bond)], dim=-1)
        h = self.atoms(data.z)
        for layer in self.layers:
            h = layer(h, data.edge_index, edge)
        molecules = int(data.batch.max()) + 1
        counts = scatter_sum(torch.ones_like(h[:, :1]), data.batch, molecules)
        mean = scatter_sum(h, data.batch, molecules) / counts
        gated = scatter_sum(torch.sigmoid(self.gate(h)) * h, data.batch, molecules)
        return self.readout(torch.cat([mean, gated], dim=-1)).squeeze(-1)


def train(model, steps=3):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(steps):
        data = make_batch(seed=step)
        loss = F.l1_loss(model(data), data.energy)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item())


if __name__ == "__main__":
    torch.manual_seed(0)
    train(MolNet())

import torch
from torch import nn


class EdgeUpdate(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(3 * dim, dim), nn.SiLU(), nn.Linear(dim, dim))

    def forward(self, src, dst, edge):
        return edge + self.mlp(torch.cat([src, dst, edge], -1))


class AtomUpdate(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.norm_in = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(
            nn.Linear(2 * dim, dim),
            nn.SiLU(),
        )
        self.norm_out = nn.LayerNorm(dim)

    def forward(self, atoms, messages):
        h = self.norm_in(atoms)
        h = self.mlp(torch.cat([h, messages], dim=-1))
        return atoms + h


class BondNet(nn.Module):
    """Message passing on a molecule: atoms are rows, bonds are index pairs."""

    def __init__(self, elements: int = 9, bonds: int = 4, dim: int = 16, rounds: int = 2):
        super().__init__()
        self.atom_emb = nn.Embedding(elements, dim)
        self.bond_emb = nn.Embedding(bonds, dim)
        self.edge = nn.ModuleList([EdgeUpdate(dim) for _ in range(rounds)])
        self.atom = nn.ModuleList([AtomUpdate(dim) for _ in range(rounds)])
        self.energy = nn.Linear(dim, 1)

    def forward(self, z, pairs, kinds):
        h, e = self.atom_emb(z), self.bond_emb(kinds)
        i, j = pairs
        for edge, atom in zip(self.edge, self.atom):
            e = edge(h[i], h[j], e)
            agg = torch.zeros_like(h).index_add(0, j, e)
            h = atom(h, agg)
        return self.energy(h).sum()


BondNet()(torch.tensor([6, 1, 1, 8]), torch.tensor([[0, 0, 0, 1], [1, 2, 3, 0]]), torch.tensor([1, 1, 2, 1]))

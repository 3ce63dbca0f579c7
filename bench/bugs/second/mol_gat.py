"""Message passing over the bonds of molecules, without any library of graphs: GAT layers and a GRU update."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class GATLayer(nn.Module):
    def __init__(self, in_dim: int, out_dim: int, heads: int, edge_dim: int):
        super().__init__()
        self.heads, self.out_dim = heads, out_dim
        self.lin = nn.Linear(in_dim, heads * out_dim, bias=False)
        self.lin_edge = nn.Linear(edge_dim, heads * out_dim, bias=False)
        self.att_src = nn.Parameter(torch.empty(1, heads, out_dim))
        self.att_dst = nn.Parameter(torch.empty(1, heads, out_dim))
        self.bias = nn.Parameter(torch.zeros(heads * out_dim))
        nn.init.xavier_uniform_(self.att_src)
        nn.init.xavier_uniform_(self.att_dst)

    def forward(self, x: Tensor, edge_index: Tensor, edge_attr: Tensor) -> Tensor:
        n = x.size(0)
        src, dst = edge_index
        h = self.lin(x).view(n, self.heads, self.out_dim)
        e = self.lin_edge(edge_attr).view(-1, self.heads, self.out_dim)
        alpha = (h[src] * self.att_src).sum(-1) + (h[dst] * self.att_dst).sum(-1)
        alpha = F.leaky_relu(alpha, 0.2).exp()
        total = torch.zeros(n, self.heads).index_add(0, dst, alpha)
        alpha = alpha / (total[dst] + 1e-9)
        messages = alpha.unsqueeze(-1) * (h[src] + e)
        index = dst.view(-1, 1, 1).expand_as(messages)
        out = torch.zeros(n, self.heads, self.out_dim).scatter_add(0, index, messages)
        return out.flatten(1) + self.bias


class MolGAT(nn.Module):
    def __init__(self, atom_types: int = 30, bond_types: int = 5, hidden: int = 32, heads: int = 4, tasks: int = 12):
        super().__init__()
        self.atom = nn.Embedding(atom_types, hidden)
        self.charge = nn.Linear(2, hidden)
        self.bond = nn.Embedding(bond_types, 8)
        self.convs = nn.ModuleList(GATLayer(hidden, hidden // heads, heads, edge_dim=8) for _ in range(3))
        self.update = nn.GRUCell(hidden, hidden)
        self.norm = nn.BatchNorm1d(hidden)
        self.readout = nn.Sequential(nn.Linear(2 * hidden, hidden), nn.SiLU(), nn.Linear(hidden, tasks))

    def forward(self, atoms: Tensor, charges: Tensor, edge_index: Tensor, bonds: Tensor, batch: Tensor) -> Tensor:
        x = self.atom(atoms) + self.charge(charges)
        edges = self.bond(bonds)
        for conv in self.convs:
            message = F.elu(conv(x, edge_index, edges))
            x = self.update(message, x)
        x = self.norm(x)
        mols = 4
        pooled = torch.zeros(mols, x.size(1)).index_add(0, batch, x)
        count = torch.zeros(mols).index_add(0, batch, torch.ones_like(batch, dtype=x.dtype))
        mean = pooled / count.clamp(min=1).unsqueeze(1)
        return self.readout(torch.cat([pooled, mean], dim=1))


class MolTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = MolGAT()
        self.loss = nn.BCEWithLogitsLoss(reduction="none")

    def forward(self, atoms, charges, edge_index, bonds, batch, labels, known):
        logits = self.model(atoms, charges, edge_index, bonds, batch)
        loss = self.loss(logits, labels)
        return (loss * known).sum() / known.sum()


if __name__ == "__main__":
    atoms = torch.randint(0, 30, (50,))
    charges = torch.randn(50, 2)
    edge_index = torch.randint(0, 50, (2, 110))
    bonds = torch.randint(0, 5, (110,))
    batch = torch.randint(0, 4, (50,))
    labels = torch.randint(0, 2, (4, 12)).float()
    known = torch.rand(4, 12) > 0.5
    MolTask()(atoms, charges, edge_index, bonds, batch, labels, known)

"""Energies of molecules: messages along edges, summed with index_add, no library of graphs."""

import torch
import torch.nn as nn
import torch.nn.functional as F

ATOMS, BONDS = 10, 4


def scatter_sum(src, index, dim_size):
    out = src.new_zeros(dim_size, src.size(-1))
    return out.index_add(0, index, src)


def scatter_softmax(score, index, dim_size):
    top = score.new_full((dim_size, score.size(-1)), float("-inf"))
    top = top.scatter_reduce(0, index[:, None].expand_as(score), score, "amax")
    weight = (score - top[index]).exp()
    return weight / scatter_sum(weight, index, dim_size)[index]


class RadialBasis(nn.Module):
    def __init__(self, num_basis, cutoff=5.0):
        super().__init__()
        self.register_buffer("centers", torch.linspace(0, cutoff, num_basis))
        self.width = cutoff / num_basis

    def forward(self, distance):
        return torch.exp(-((distance[:, None] - self.centers) ** 2) / self.width**2)


class EdgeAttentionConv(nn.Module):
    def __init__(self, node_dim, edge_dim, heads=4):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(node_dim, node_dim)
        self.key = nn.Linear(node_dim, node_dim)
        self.value = nn.Linear(node_dim + edge_dim, node_dim)
        self.edge_bias = nn.Linear(edge_dim, heads)
        self.update = nn.GRUCell(node_dim, node_dim)

    def forward(self, h, edge_index, edge_attr):
        src, dst = edge_index
        q = self.query(h)[dst].view(-1, self.heads, h.size(-1) // self.heads)
        k = self.key(h)[src].view(-1, self.heads, h.size(-1) // self.heads)
        score = (q * k).sum(-1) / q.size(-1) ** 0.5 + self.edge_bias(edge_attr)
        alpha = scatter_softmax(score, dst, h.size(0))
        value = self.value(torch.cat([h[src], edge_attr], dim=-1))
        message = value.view(-1, self.heads, h.size(-1) // self.heads) * alpha.unsqueeze(-1)
        return self.update(scatter_sum(message.flatten(1), dst, h.size(0)), h)


class EnergyNet(nn.Module):
    def __init__(self, hidden=32, num_basis=16, layers=2, bond_dim=8, targets=3):
        super().__init__()
        self.atom_embedding = nn.Embedding(ATOMS, hidden)
        self.bond_embedding = nn.Embedding(BONDS, bond_dim)
        self.basis = RadialBasis(num_basis)
        self.convs = nn.ModuleList([EdgeAttentionConv(hidden, num_basis + bond_dim) for _ in range(layers)])
        self.norms = nn.ModuleList([nn.LayerNorm(hidden) for _ in range(layers)])
        self.gate = nn.Sequential(nn.Linear(2 * hidden, hidden), nn.Sigmoid())
        self.readout = nn.Sequential(nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, targets))

    def forward(self, z, pos, edge_index, bond, batch, num_graphs):
        h = h0 = self.atom_embedding(z)
        src, dst = edge_index
        distance = (pos[src] - pos[dst]).norm(dim=-1)
        edge_attr = torch.cat([self.basis(distance), self.bond_embedding(bond)], dim=-1)
        for conv, norm in zip(self.convs, self.norms):
            h = h + norm(conv(h, edge_index, edge_attr))
        h = h * self.gate(torch.cat([h, h0], dim=-1))
        pooled = scatter_sum(h, batch, num_graphs)
        count = torch.bincount(batch, minlength=num_graphs).clamp(min=1)
        return self.readout(pooled / count[:, None])


def collate(sizes=(5, 7, 4)):
    z = torch.randint(0, ATOMS, (sum(sizes),))
    pos = torch.randn(sum(sizes), 3)
    batch = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes))
    edges, start = [], 0
    for n in sizes:
        i = torch.arange(n)
        edges.append(torch.stack([i, (i + 1) % n]) + start)
        start += n
    edge_index = torch.cat(edges, dim=1)
    bond = torch.randint(0, BONDS, (edge_index.size(1),))
    return z, pos, edge_index, bond, batch, len(sizes)


def train():
    model = EnergyNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    target = torch.randn(3, 3)
    for _ in range(2):
        prediction = model(*collate())
        loss = F.smooth_l1_loss(prediction, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


train()

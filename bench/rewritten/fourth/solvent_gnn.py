import torch
import torch.nn as nn
import torch.nn.functional as F


class GraphConv(nn.Module):
    """Mean over the neighbours, dense adjacency."""

    def __init__(self, cin, cout):
        super().__init__()
        self.self_lin = nn.Linear(cin, cout)
        self.nbr_lin = nn.Linear(cin, cout, bias=False)

    def forward(self, h, adj):
        deg = adj.sum(-1, keepdim=True).clamp(min=1)
        return self.self_lin(h) + self.nbr_lin(adj @ h / deg)


class GraphEncoder(nn.Module):
    def __init__(self, atom_dim, dim, depth):
        super().__init__()
        dims = [atom_dim] + [dim] * depth
        self.convs = nn.ModuleList([GraphConv(a, b) for a, b in zip(dims[:-1], dims[1:])])

    def forward(self, atoms, adj):
        h = atoms
        for i, conv in enumerate(self.convs):
            h = conv(h, adj)
            if i < len(self.convs) - 1:
                h = F.relu(h)
                h = F.dropout(h, 0.3)
        return h


class SolubilityNet(nn.Module):
    def __init__(self, atom_dim=8, dim=16, depth=3):
        super().__init__()
        self.encoder = GraphEncoder(atom_dim, dim, depth)
        self.readout = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, 1))

    def forward(self, atoms, adj):
        g = self.encoder(atoms, adj).sum(dim=1)
        return self.readout(g)


SolubilityNet()(torch.randn(2, 6, 8), torch.rand(2, 6, 6).round())

import torch
import torch.nn as nn
import torch.nn.functional as F


class ContactGraph(nn.Module):
    """Row-normalised soft contact matrix from CA coordinates."""

    def __init__(self, cutoff=8.0, sharpness=1.5):
        super().__init__()
        self.cutoff = cutoff
        self.sharpness = sharpness

    def forward(self, ca):
        d = torch.cdist(ca, ca)
        a = torch.sigmoid(self.sharpness * (self.cutoff - d))
        return a / a.sum(-1, keepdim=True)


class ResidueLayer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.self_lin = nn.Linear(dim, dim)
        self.msg_lin = nn.Linear(dim, dim, bias=False)
        self.norm = nn.LayerNorm(dim)

    def forward(self, h, adj):
        m = torch.einsum("bnm,bmd->bnd", adj, h)
        update = self.self_lin(h) + self.msg_lin(m)
        return self.norm(h + F.elu(update))


class Readout(nn.Module):
    def __init__(self, dim, n_out):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.ELU(), nn.Linear(dim, n_out))

    def forward(self, h, mask):
        m = mask.unsqueeze(-1).to(h.dtype)
        pooled = (h * m).sum(1) / m.sum(1)
        return self.mlp(pooled)


class ProteinModel(nn.Module):
    def __init__(self, n_aa=21, dim=20, depth=3, n_out=4):
        super().__init__()
        self.aa = nn.Embedding(n_aa, dim)
        self.graph = ContactGraph()
        self.layers = nn.ModuleList([ResidueLayer(dim) for _ in range(depth)])
        self.readout = Readout(dim, n_out)

    def forward(self, seq, ca):
        adj = self.graph(ca)
        h = self.aa(seq)
        for layer in self.layers:
            h = layer(h, adj)
        return self.readout(h, seq != 0)


ProteinModel()(torch.randint(1, 21, (2, 10)), 5 * torch.randn(2, 10, 3))

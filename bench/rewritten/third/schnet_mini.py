import math
import torch
import torch.nn as nn


class ShiftedSoftplus(nn.Module):
    def forward(self, x):
        return nn.functional.softplus(x) - math.log(2.0)


class RadialBasis(nn.Module):
    def __init__(self, n_rbf, cutoff):
        super().__init__()
        offsets = torch.linspace(0, cutoff, n_rbf)
        self.register_buffer("offsets", offsets)
        self.gamma = 0.5 / (cutoff / n_rbf) ** 2

    def forward(self, r):
        return torch.exp(-self.gamma * (r.unsqueeze(-1) - self.offsets) ** 2)


class CFConv(nn.Module):
    def __init__(self, n_atom_basis, n_rbf, cutoff):
        super().__init__()
        self.cutoff = cutoff
        self.in2f = nn.Linear(n_atom_basis, n_atom_basis, bias=False)
        self.filter_net = nn.Sequential(
            nn.Linear(n_rbf, n_atom_basis),
            ShiftedSoftplus(),
            nn.Linear(n_atom_basis, n_atom_basis),
        )
        self.f2out = nn.Linear(n_atom_basis, n_atom_basis)

    def forward(self, x, rbf, r):
        W = self.filter_net(rbf)
        envelope = 0.5 * (torch.cos(r * math.pi / self.cutoff) + 1.0)
        neighbours = (r < self.cutoff).sum(dim=-1, keepdim=True)
        W = W * envelope.unsqueeze(-1)
        y = self.in2f(x)
        y = (W * y.unsqueeze(1)).sum(dim=2)
        return self.f2out(y)


class Interaction(nn.Module):
    def __init__(self, n_atom_basis, n_rbf, cutoff):
        super().__init__()
        self.cfconv = CFConv(n_atom_basis, n_rbf, cutoff)
        self.dense = nn.Linear(n_atom_basis, n_atom_basis)
        self.act = ShiftedSoftplus()

    def forward(self, x, rbf, r):
        return x + self.dense(self.act(self.cfconv(x, rbf, r)))


class SchNet(nn.Module):
    def __init__(self, n_atom_basis=24, n_rbf=10, cutoff=6.0, n_interactions=2):
        super().__init__()
        self.embedding = nn.Embedding(20, n_atom_basis)
        self.rbf = RadialBasis(n_rbf, cutoff)
        self.interactions = nn.ModuleList(
            [Interaction(n_atom_basis, n_rbf, cutoff) for _ in range(n_interactions)]
        )
        self.atomwise = nn.Linear(n_atom_basis, 1)

    def forward(self, z, pos):
        x = self.embedding(z)
        r = torch.cdist(pos, pos)
        rbf = self.rbf(r)
        for interaction in self.interactions:
            x = interaction(x, rbf, r)
        return self.atomwise(x).sum(1)


SchNet()(torch.randint(1, 20, (2, 7)), torch.rand(2, 7, 3))

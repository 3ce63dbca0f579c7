"""Two graphs are compared: graph convolutions with shared weights, a readout over nodes, a margin between the pairs."""

import torch
import torch.nn.functional as F
from torch import nn


class GraphConv(nn.Module):
    """Means over neighbours, by a dense adjacency matrix; each kind of edge has weights of its own."""

    def __init__(self, in_dim, out_dim, relations):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(relations, in_dim, out_dim) * 0.05)
        self.loop = nn.Linear(in_dim, out_dim)

    def forward(self, x, adjacency):
        degree = adjacency.sum(-1, keepdim=True).clamp(min=1)
        messages = torch.einsum("brij,bjd,rde->bie", adjacency / degree, x, self.weight)
        return F.leaky_relu(self.loop(x) + messages, 0.2)


class Readout(nn.Module):
    """Sums of the nodes' features, gated; nodes that only fill up a batch do not count."""

    def __init__(self, dim, out):
        super().__init__()
        self.gate = nn.Linear(dim, 1)
        self.value = nn.Linear(dim, out)

    def forward(self, x, mask):
        gate = torch.sigmoid(self.gate(x)) * mask.unsqueeze(-1)
        return (gate * self.value(x)).sum(1) / mask.sum(1, keepdim=True)


class GraphEncoder(nn.Module):
    def __init__(self, atoms=20, dim=32, hidden=48, out=24, relations=3):
        super().__init__()
        self.atoms = nn.Embedding(atoms, dim)
        self.conv1 = GraphConv(dim, hidden, relations)
        self.conv2 = GraphConv(hidden, hidden, relations)
        self.norm = nn.LayerNorm(hidden)
        self.readout = Readout(hidden + dim, out)

    def forward(self, atoms, adjacency):
        x = self.atoms(atoms)
        h = self.conv1(x, adjacency)
        h = self.norm(h + self.conv2(h, adjacency))
        mask = (atoms != 0).float()
        return self.readout(torch.cat([h, x], dim=2), mask)


class SiameseGraphs(nn.Module):
    def __init__(self, encoder, margin=0.5):
        super().__init__()
        self.encoder = encoder
        self.margin = margin

    def forward(self, atoms, adjacency, same):
        left, right = self.encoder(atoms[:, 0], adjacency[:, 0]), self.encoder(atoms[:, 1], adjacency[:, 1])
        left, right = F.normalize(left, dim=-1), F.normalize(right, dim=-1)
        distance = 1 - (left * right).sum(-1)
        pull = same * distance.pow(2)
        push = (1 - same) * F.relu(self.margin - distance).pow(2)
        return (pull + push).mean()


if __name__ == "__main__":
    atoms = torch.randint(0, 20, (6, 2, 9))
    atoms[..., 0] = 1
    adjacency = torch.randint(0, 2, (6, 2, 3, 9, 9)).float()
    same = torch.tensor([1.0, 0.0, 1.0, 1.0, 0.0, 0.0])
    print(SiameseGraphs(GraphEncoder())(atoms, adjacency, same).item())

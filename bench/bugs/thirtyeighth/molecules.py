"""Multi-task message passing on toy molecules, with nothing but torch."""
import random
from collections import namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F

Graph = namedtuple("Graph", "atoms charges edges bonds distance energy labels")
Batch = namedtuple("Batch", "atoms charges edges bonds distance owner energy labels sizes")

ATOMS, BONDS, TASKS = 6, 3, 4


def random_graph(rng):
    n = rng.randint(4, 9)
    pairs = [(i, rng.randrange(i)) for i in range(1, n)]
    pairs += [(b, a) for a, b in pairs]
    edges = torch.tensor(pairs, dtype=torch.long).t()
    atoms = torch.tensor([rng.randrange(ATOMS) for _ in range(n)])
    bonds = torch.tensor([(a + b) % BONDS for a, b in pairs])
    place = torch.randn(n, 3)
    distance = (place[edges[0]] - place[edges[1]]).norm(dim=1)
    energy = atoms.float().mean() + bonds.float().std()
    labels = torch.tensor([rng.choice([0, 1, -1]) for _ in range(TASKS)])
    return Graph(atoms, torch.randn(n), edges, bonds, distance, energy, labels)


def collate(graphs):
    sizes = torch.tensor([len(g.atoms) for g in graphs])
    starts = sizes.cumsum(0) - sizes
    edges = torch.cat([g.edges + s for g, s in zip(graphs, starts)], dim=1)
    owner = torch.repeat_interleave(torch.arange(len(graphs)), sizes)
    return Batch(
        torch.cat([g.atoms for g in graphs]),
        torch.cat([g.charges for g in graphs]),
        edges,
        torch.cat([g.bonds for g in graphs]),
        torch.cat([g.distance for g in graphs]),
        owner,
        torch.stack([g.energy for g in graphs]),
        torch.stack([g.labels for g in graphs]),
        sizes,
    )


def scatter_sum(values, index, count):
    out = values.new_zeros(count, values.size(1))
    return out.scatter_add_(0, index.unsqueeze(1).expand_as(values), values)


def scatter_softmax(scores, index, count):
    """Softmax of [E, H] scores over the edges that end in the same node."""
    top = scores.new_full((count, scores.size(1)), -1e9)
    top = top.scatter_reduce(0, index[:, None].expand_as(scores), scores, reduce="amax")
    exp = (scores - top[index]).exp()
    return exp / (scatter_sum(exp, index, count)[index] + 1e-9)


class RadialBasis(nn.Module):
    def __init__(self, count, cutoff=4.0):
        super().__init__()
        self.register_buffer("centers", torch.linspace(0, cutoff, count))
        self.width = cutoff / count

    def forward(self, distance):
        gap = distance.unsqueeze(-1) - self.centers
        return torch.exp(-(gap / self.width) ** 2)


class MessageLayer(nn.Module):
    def __init__(self, dim, heads, edge_dim):
        super().__init__()
        self.heads, self.head_dim = heads, dim // heads
        self.source = nn.Linear(dim, dim)
        self.edge = nn.Linear(edge_dim, dim)
        self.query = nn.Parameter(torch.randn(heads, self.head_dim) * 0.1)
        self.update = nn.GRUCell(dim, dim)
        self.norm = nn.BatchNorm1d(dim)

    def forward(self, h, edges, edge_features):
        src, dst = edges
        message = self.source(h)[src] + self.edge(edge_features)
        message = message.unflatten(1, (self.heads, self.head_dim))
        scores = torch.einsum("ehd,hd->eh", F.leaky_relu(message), self.query)
        weight = scatter_softmax(scores, dst, h.size(0))
        message = (message * weight.unsqueeze(-1)).flatten(1)
        total = scatter_sum(message, dst, h.size(0))
        return self.norm(self.update(total, h))


class SetPooling(nn.Module):
    """Attention over padded graphs with one learned question."""

    def __init__(self, dim, heads=2):
        super().__init__()
        self.question = nn.Parameter(torch.zeros(1, 1, dim))
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)

    def forward(self, h, owner, sizes):
        slot = torch.arange(len(h)) - (sizes.cumsum(0) - sizes)[owner]
        padded = h.new_zeros(len(sizes), int(sizes.max()), h.size(1))
        padded[owner, slot] = h
        empty = torch.arange(padded.size(1)) >= sizes[:, None]
        question = self.question.expand(len(sizes), -1, -1)
        pooled, _ = self.attn(question, padded, padded, key_padding_mask=empty)
        return pooled.squeeze(1)


class MoleculeNet(nn.Module):
    def __init__(self, dim=32, layers=2, heads=4, radial=8):
        super().__init__()
        self.atom = nn.Embedding(ATOMS, dim - 1)
        self.bond = nn.Embedding(BONDS, dim)
        self.radial = RadialBasis(radial)
        self.layers = nn.ModuleList(
            MessageLayer(dim, heads, dim + radial) for _ in range(layers))
        self.pool = SetPooling(dim)
        self.energy = nn.Sequential(nn.Linear(2 * dim, dim), nn.SiLU(), nn.Linear(dim, 1))
        self.tasks = nn.Linear(2 * dim, TASKS)
        self.atom_type = nn.Linear(dim, ATOMS)

    def forward(self, batch):
        h = torch.cat([self.atom(batch.atoms), batch.charges.unsqueeze(1)], dim=1)
        edge_features = torch.cat([self.bond(batch.bonds), self.radial(batch.distance)], dim=1)
        for layer in self.layers:
            h = h + layer(h, batch.edges, edge_features)
        total = scatter_sum(h, batch.owner, len(batch.sizes))
        mean = total / batch.sizes.unsqueeze(1)
        pooled = torch.cat([mean, self.pool(h, batch.owner, batch.sizes)], dim=1)
        return self.energy(pooled).squeeze(-1), self.tasks(pooled), self.atom_type(h)


def multitask_loss(outputs, batch):
    energy, tasks, atom_logits = outputs
    known = batch.labels >= 0
    regression = F.huber_loss(energy, batch.energy)
    binary = F.binary_cross_entropy_with_logits(tasks[known], batch.labels[known].float())
    atoms = F.cross_entropy(atom_logits, batch.atoms)
    return torch.stack([regression, binary, atoms])


def train():
    torch.manual_seed(0)
    rng = random.Random(0)
    graphs = [random_graph(rng) for _ in range(24)]
    model = MoleculeNet()
    log_var = nn.Parameter(torch.zeros(3))
    optimizer = torch.optim.Adam([*model.parameters(), log_var], lr=2e-3)
    for start in range(0, len(graphs), 8):
        batch = collate(graphs[start:start + 8])
        losses = multitask_loss(model(batch), batch)
        loss = (losses * (-log_var).exp() + log_var).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print([round(x, 3) for x in losses.tolist()])
    model.eval()
    with torch.no_grad():
        _, tasks, atom_logits = model(batch)
    right = (atom_logits.argmax(dim=1) == batch.atoms).float().mean()
    print("atoms right", right.item(), "tasks on", (tasks > 0).sum(dim=0).tolist())


train()

# Message passing over the bonds of molecules: edges attend, nodes are pooled by graph, a property is regressed.
import torch
from torch import nn
from torch.nn import functional as F


def scatter_sum(src, index, size):
    out = torch.zeros(size, src.shape[-1], device=src.device, dtype=src.dtype)
    return out.index_add(0, index, src)


class RBF(nn.Module):
    def __init__(self, n=16, cutoff=5.0):
        super().__init__()
        self.register_buffer("centers", torch.linspace(0.0, cutoff, n))
        self.gamma = 1.0 / (cutoff / n) ** 2

    def forward(self, dist):
        return torch.exp(-self.gamma * (dist[:, None] - self.centers[None, :]) ** 2)


class Interaction(nn.Module):
    def __init__(self, dim, n_rbf, heads=4):
        super().__init__()
        self.heads = heads
        self.filter = nn.Sequential(nn.Linear(n_rbf, dim), nn.SiLU(), nn.Linear(dim, dim))
        self.score = nn.Linear(2 * dim, heads)
        self.lin = nn.Linear(dim, dim, bias=False)
        self.update = nn.Sequential(nn.Linear(2 * dim, dim), nn.SiLU(), nn.Dropout(0.1), nn.Linear(dim, dim))
        self.norm = nn.LayerNorm(dim)

    def forward(self, h, edge_index, rbf):
        src, dst = edge_index
        score = F.leaky_relu(self.score(torch.cat([h[src], h[dst]], dim=-1)), 0.2)
        weight = torch.exp(score - score.amax(dim=0, keepdim=True))
        total = scatter_sum(weight, dst, h.size(0))
        weight = weight / (total[dst] + 1e-8)
        msg = self.lin(h)[src] * self.filter(rbf)
        msg = msg.view(msg.size(0), self.heads, -1) * weight.unsqueeze(-1)
        agg = scatter_sum(msg.flatten(1), dst, h.size(0))
        return self.norm(h + self.update(torch.cat([h, agg], dim=-1)))


class GatedPool(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.gate = nn.Linear(dim, 1)
        self.value = nn.Linear(dim, dim)

    def forward(self, h, batch, n_graphs):
        gate = torch.sigmoid(self.gate(h))
        return scatter_sum(gate * self.value(h), batch, n_graphs)


class MolNet(nn.Module):
    def __init__(self, n_atoms=20, dim=32, depth=3, n_rbf=16):
        super().__init__()
        self.embed = nn.Embedding(n_atoms, dim)
        self.rbf = RBF(n_rbf)
        self.layers = nn.ModuleList([Interaction(dim, n_rbf) for _ in range(depth)])
        self.pool = GatedPool(dim)
        self.energy = nn.Sequential(nn.Linear(dim, dim), nn.SiLU(), nn.Linear(dim, 1))
        self.kind = nn.Linear(dim, 5)

    def forward(self, z, pos, edge_index, batch):
        n_graphs = 4
        dist = (pos[edge_index[0]] - pos[edge_index[1]]).norm(dim=-1)
        rbf = self.rbf(dist)
        h = self.embed(z)
        for layer in self.layers:
            h = layer(h, edge_index, rbf)
        g = self.pool(h, batch, n_graphs)
        return self.energy(g).squeeze(-1), self.kind(g)


class MolTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = MolNet()
        self.ce = nn.CrossEntropyLoss()

    def forward(self, z, pos, edge_index, batch, energy, kind):
        pred, logits = self.net(z, pos, edge_index, batch)
        error = pred - energy
        return F.smooth_l1_loss(pred, energy) + 0.1 * error.pow(2).mean() + self.ce(logits, kind)


def batch_of_molecules(nodes=24, edges=60):
    return {
        "z": torch.randint(0, 20, (nodes,)),
        "pos": torch.randn(nodes, 3),
        "edge_index": torch.randint(0, nodes, (2, edges)),
        "batch": torch.arange(nodes) % 4,
        "energy": torch.randn(4),
        "kind": torch.randint(0, 5, (4,)),
    }


if __name__ == "__main__":
    task = MolTask()
    loss = task(**batch_of_molecules())
    loss.backward()
    print(loss.detach())

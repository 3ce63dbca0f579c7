"""Graph network for properties of molecules, without torch_geometric.

atoms:  (N,)    numbers of the elements
pos:    (N, 3)  places in space
edges:  (2, E)  source and target of each bond
batch:  (N,)    which molecule an atom belongs to
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class EdgeConv(nn.Module):
    """Messages from both ends and the squared distance between them."""

    def __init__(self, dim):
        super().__init__()
        self.message = nn.Sequential(nn.Linear(2 * dim + 1, dim), nn.SiLU(), nn.Linear(dim, dim))
        self.update = nn.GRUCell(dim, dim)

    def forward(self, h, pos, edges):
        src, dst = edges
        dist = (pos[src] - pos[dst]).pow(2).sum(dim=-1, keepdim=True)
        m = self.message(torch.cat([h[src], h[dst], dist], dim=-1))
        agg = torch.zeros_like(h).index_add(0, dst, m)
        return self.update(agg, h)


class GraphAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.head_dim = dim // heads
        self.proj = nn.Linear(dim, dim, bias=False)
        self.att_src = nn.Parameter(torch.randn(heads, self.head_dim) * 0.1)
        self.att_dst = nn.Parameter(torch.zeros(heads, self.head_dim))
        self.norm = nn.LayerNorm(dim)

    def forward(self, h, edges):
        src, dst = edges
        n = h.size(0)
        x = self.proj(h).view(n, self.heads, self.head_dim)
        a_src = torch.einsum("nhd,hd->nh", x, self.att_src)
        a_dst = (x * self.att_dst).sum(dim=-1)
        score = F.leaky_relu(a_src[src] + a_dst[dst], 0.2)
        score = (score - score.max()).exp()
        total = score.new_zeros(n, self.heads).index_add(0, dst, score)
        alpha = score / (total[dst] + 1e-9)
        out = torch.zeros_like(x).index_add(0, dst, x[src] * alpha.unsqueeze(-1))
        return self.norm(h + out.flatten(1))


class MoleculeNet(nn.Module):
    def __init__(self, num_elements, num_tasks, dim=64, heads=4, layers=3):
        super().__init__()
        self.embed = nn.Embedding(num_elements, dim)
        self.convs = nn.ModuleList([EdgeConv(dim) for _ in range(layers)])
        self.atts = nn.ModuleList([GraphAttention(dim, heads) for _ in range(layers)])
        self.readout = nn.Sequential(nn.Linear(dim, dim), nn.SiLU(), nn.Linear(dim, num_tasks))

    def forward(self, atoms, pos, edges, batch):
        h = self.embed(atoms)
        for conv, att in zip(self.convs, self.atts):
            h = conv(h, pos, edges)
            h = att(h, edges)
        n_graphs = int(batch.max()) + 1
        index = batch.unsqueeze(-1).expand(-1, h.size(-1))
        pooled = h.new_zeros(n_graphs, h.size(-1)).scatter_add(0, index, h)
        return self.readout(pooled)

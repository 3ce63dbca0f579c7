"""Dense graphs: attention over neighbours with features of edges, pooled into clusters (DiffPool), a vector a graph."""

import torch
from torch import nn
from torch.nn import functional as F

NODE, EDGE, NODES = 12, 4, 20


class GraphAttention(nn.Module):
    def __init__(self, in_dim, out_dim, edge_dim, heads=4, slope=0.2):
        super().__init__()
        assert out_dim % heads == 0
        self.heads, self.dim, self.slope = heads, out_dim // heads, slope
        self.lin = nn.Linear(in_dim, out_dim, bias=False)
        self.edge = nn.Linear(edge_dim, heads, bias=False)
        self.att_src = nn.Parameter(torch.randn(heads, out_dim // heads) * 0.1)
        self.att_dst = nn.Parameter(torch.randn(heads, out_dim // heads) * 0.1)
        self.bias = nn.Parameter(torch.zeros(out_dim))

    def forward(self, x, adj, edge):
        b, n, _ = x.shape
        h = self.lin(x).view(b, n, self.heads, self.dim)
        src = (h * self.att_src).sum(dim=-1)
        dst = (h * self.att_dst).sum(dim=-1)
        logits = src.unsqueeze(2) + dst.unsqueeze(1) + self.edge(edge)
        logits = F.leaky_relu(logits, self.slope).masked_fill(adj.unsqueeze(-1) == 0, -1e9)
        alpha = logits.softmax(dim=2)
        out = torch.einsum("bijh,bjhd->bihd", alpha, h)
        return out.reshape(b, n, self.heads * self.dim) + self.bias


class DiffPool(nn.Module):
    def __init__(self, dim, clusters, edge_dim):
        super().__init__()
        self.assign = GraphAttention(dim, clusters, edge_dim, heads=1)
        self.embed = GraphAttention(dim, dim, edge_dim)

    def forward(self, x, adj, edge, mask):
        s = self.assign(x, adj, edge).softmax(dim=-1) * mask.unsqueeze(-1)
        z = self.embed(x, adj, edge)
        pooled = s.transpose(1, 2) @ z
        coarse = s.transpose(1, 2) @ adj @ s
        return pooled, coarse, s


class GraphNet(nn.Module):
    def __init__(self, node_dim=NODE, edge_dim=EDGE, hidden=32, clusters=5, targets=2, layers=2):
        super().__init__()
        self.inp = nn.Linear(node_dim, hidden)
        self.layers = nn.ModuleList([GraphAttention(hidden, hidden, edge_dim) for _ in range(layers)])
        self.norms = nn.ModuleList([nn.BatchNorm1d(hidden) for _ in range(layers)])
        self.pool = DiffPool(hidden, clusters, edge_dim)
        self.coarse = nn.Linear(hidden, hidden)
        self.head = nn.Sequential(nn.Linear(3 * hidden, hidden), nn.ELU(), nn.Linear(hidden, targets))

    def forward(self, x, adj, edge, mask):
        x = self.inp(x)
        for layer, norm in zip(self.layers, self.norms):
            y = F.elu(layer(x, adj, edge))
            x = x + norm(y.transpose(1, 2)).transpose(1, 2)
        x = x * mask[:, :, None]
        pooled, coarse, s = self.pool(x, adj, edge, mask)
        degree = coarse.sum(dim=-1, keepdim=True).clamp(min=1e-6)
        clusters = F.elu(self.coarse(coarse @ pooled / degree))
        mean = x.sum(dim=1) / mask.sum(dim=1, keepdim=True)
        graph = torch.cat([mean, x.amax(dim=1), clusters.mean(dim=1)], dim=-1)
        return self.head(graph), s, coarse


def collate(sizes):
    b = len(sizes)
    x = torch.randn(b, NODES, NODE)
    adj = torch.zeros(b, NODES, NODES)
    mask = torch.zeros(b, NODES)
    for i, n in enumerate(sizes):
        adj[i, :n, :n] = (torch.rand(n, n) > 0.5).float()
        mask[i, :n] = 1.0
    adj = ((adj + adj.transpose(1, 2) + torch.eye(NODES)) > 0).float()
    return x, adj, torch.randn(b, NODES, NODES, EDGE), mask


def loss_of(model, batch, y):
    x, adj, edge, mask = batch
    pred, s, _ = model(x, adj, edge, mask)
    link = (adj - s @ s.transpose(1, 2)).norm(dim=(1, 2)).mean()
    entropy = -(s * (s + 1e-9).log()).sum(dim=-1).mean()
    return F.mse_loss(pred, y) + 0.1 * link + 0.01 * entropy


model = GraphNet()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(3):
    batch = collate([20, 14, 9, 17])
    loss = loss_of(model, batch, torch.randn(4, 2))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())

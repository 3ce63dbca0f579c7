"""Dense graph classification: two SAGE layers, soft assignment to clusters, one layer on the coarse graph."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class DenseSAGE(nn.Module):
    def __init__(self, in_dim, out_dim, use_bn=True):
        super().__init__()
        self.lin_self = nn.Linear(in_dim, out_dim)
        self.lin_neigh = nn.Linear(in_dim, out_dim, bias=False)
        self.bn = nn.BatchNorm1d(out_dim) if use_bn else None

    def forward(self, x, adj, mask=None):
        deg = adj.sum(dim=-1, keepdim=True).clamp(min=1)
        neigh = torch.bmm(adj, x) / deg
        h = self.lin_self(x) + self.lin_neigh(neigh)
        if self.bn is not None:
            h = self.bn(h.transpose(1, 2)).transpose(1, 2)
        h = F.relu(h)
        return h if mask is None else h * mask.unsqueeze(-1)


class SoftPool(nn.Module):
    def __init__(self, in_dim, clusters):
        super().__init__()
        self.assign = DenseSAGE(in_dim, clusters, use_bn=False)

    def forward(self, x, adj, mask):
        s = torch.softmax(self.assign(x, adj), dim=-1) * mask.unsqueeze(-1)
        xc = torch.einsum("bnk,bnd->bkd", s, x)
        ac = torch.einsum("bnk,bnm,bml->bkl", s, adj, s)
        return xc, ac


class GraphClassifier(nn.Module):
    def __init__(self, in_dim=9, hidden=32, clusters=6, classes=2, extra=5):
        super().__init__()
        self.g1 = DenseSAGE(in_dim, hidden)
        self.g2 = DenseSAGE(hidden, hidden)
        self.pool = SoftPool(hidden, clusters)
        self.g3 = DenseSAGE(hidden, 2 * hidden)
        self.desc = nn.Linear(extra, hidden)
        self.fc1 = nn.Linear(3 * hidden, hidden)
        self.fc2 = nn.Linear(hidden, classes)

    def forward(self, x, adj, mask, descriptors):
        h = self.g2(self.g1(x, adj, mask), adj, mask)
        hc, ac = self.pool(h, adj, mask)
        hc = self.g3(hc, ac)
        graph = hc.max(dim=1).values
        z = torch.cat([graph, self.desc(descriptors)], dim=-1)
        return self.fc2(F.dropout(F.relu(self.fc1(z)), 0.2, self.training))


def collate(graphs):
    n_max = max(len(g["x"]) for g in graphs)
    xs, adjs, masks = [], [], []
    for g in graphs:
        n = len(g["x"])
        xs.append(F.pad(g["x"], (0, 0, 0, n_max - n)))
        adjs.append(F.pad(g["adj"], (0, n_max - n, 0, n_max - n)))
        masks.append(F.pad(torch.ones(n), (0, n_max - n)))
    desc = torch.stack([g["desc"] for g in graphs])
    y = torch.tensor([g["y"] for g in graphs])
    return torch.stack(xs), torch.stack(adjs), torch.stack(masks), desc, y


def toy(n):
    a = (torch.rand(n, n) < 0.3).float()
    return {"x": torch.randn(n, 9), "adj": ((a + a.T) > 0).float(), "desc": torch.randn(5), "y": n % 2}


def fit():
    model = GraphClassifier()
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    x, adj, mask, desc, y = collate([toy(n) for n in (7, 11, 14, 9)])
    for _ in range(2):
        loss = nn.functional.cross_entropy(model(x, adj, mask, desc), y)
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    fit()

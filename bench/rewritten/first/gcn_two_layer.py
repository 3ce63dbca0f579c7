import torch
from torch import nn
from torch.nn import functional as F


class GraphConv(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.lin = nn.Linear(d_in, d_out, bias=False)
        self.bias = nn.Parameter(torch.zeros(d_out))

    def forward(self, x, adj):
        return adj @ self.lin(x) + self.bias


class GCN(nn.Module):
    def __init__(self, d_in, hidden, n_cls, drop=0.5):
        super().__init__()
        self.g1 = GraphConv(d_in, hidden)
        self.g2 = GraphConv(hidden, n_cls)
        self.drop = drop

    def forward(self, x, adj):
        # row-normalise, self loops included
        adj = adj / adj.sum(-1, keepdim=True)
        x = F.relu(self.g1(x, adj))
        x = F.dropout(x, self.drop, self.training)
        return F.log_softmax(self.g2(x, adj), dim=1)


n = 10
GCN(7, 16, 3)(torch.randn(n, 7), torch.eye(n) + (torch.rand(n, n) > 0.7))

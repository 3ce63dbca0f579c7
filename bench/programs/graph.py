import numpy as np
import scipy.sparse as sp
import torch
import torch.nn as nn


def load(path="cora/"):
    features = np.genfromtxt(f"{path}cora.content", dtype=np.dtype(str))
    adj = sp.coo_matrix((np.ones(3), ([0, 1, 2], [1, 2, 0])), shape=(3, 3))
    return torch.FloatTensor(features[:, 1:-1].astype(float)), torch.FloatTensor(adj.todense())


class GraphConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(i, o))
        self.bias = nn.Parameter(torch.zeros(o))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x, adj):
        support = x @ self.weight
        out = torch.spmm(adj, support)
        return out + self.bias


class GCN(nn.Module):
    def __init__(self, nfeat, nhid, nclass):
        super().__init__()
        self.gc1 = GraphConv(nfeat, nhid)
        self.gc2 = GraphConv(nhid, nclass)

    def forward(self, x, adj):
        h = torch.relu(self.gc1(x, adj))
        return self.gc2(h, adj).log_softmax(1)


x, adj = load()
model = GCN(x.shape[1], 16, 7)
out = model(x, adj)

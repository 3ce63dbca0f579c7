import torch
import torch.nn as nn


class SoftPool(nn.Module):
    """Pools N nodes to K clusters with a learned soft assignment."""

    def __init__(self, dim, n_clusters):
        super().__init__()
        self.score = nn.Linear(dim, n_clusters)
        self.lin = nn.Linear(dim, dim)

    def forward(self, x):
        # x: batch, nodes, dim
        assign = self.score(x).softmax(dim=1).transpose(1, 2)  # batch, clusters, nodes
        feats = self.lin(x)

        pooled = torch.einsum('bij,bjk->bik', assign, feats)
        return pooled


class GraphClassifier(nn.Module):
    def __init__(self, dim, n_cls):
        super().__init__()
        self.pool = SoftPool(dim, 4)
        self.cls = nn.Linear(4 * dim, n_cls)

    def forward(self, x):
        return self.cls(self.pool(x).flatten(1))


GraphClassifier(16, 3)(torch.randn(2, 9, 16))

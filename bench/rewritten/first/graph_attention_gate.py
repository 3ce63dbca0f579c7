import math

import torch
from torch import nn


class GraphAttention(nn.Module):
    """Dot-product attention over nodes, gated with the adjacency."""

    def __init__(self, in_features: int, out_features: int):
        super().__init__()
        self.qkv = nn.Linear(in_features, 3 * out_features, bias=False)
        self.out_features = out_features

    def forward(self, nodes: torch.Tensor, adjacency: torch.Tensor) -> torch.Tensor:
        q, k, v = torch.split(self.qkv(nodes), self.out_features, dim=-1)

        logits = torch.matmul(q, k.permute(0, 2, 1)) / math.sqrt(self.out_features)
        alpha = torch.softmax(logits, dim=-1)
        # keep the mass a node gives away to non-neighbours out of the sum
        alpha = alpha * adjacency
        return torch.matmul(alpha, v)


class GraphNet(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.layer = GraphAttention(features, hidden)
        self.readout = nn.Linear(hidden, 1)

    def forward(self, nodes, adjacency):
        hidden = torch.relu(self.layer(nodes, adjacency))
        return self.readout(hidden.mean(dim=1))


GraphNet(10, 16)(torch.randn(2, 6, 10), (torch.rand(2, 6, 6) > 0.5).float())

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn as nn
from torch import Tensor, einsum


@dataclass
class GraphConfig:
    node_dim: int = 8
    hidden: int = 16
    targets: int = 2


def row_normalise(adjacency: Tensor, eps: float = 1e-6) -> Tensor:
    return adjacency / (adjacency.sum(dim=-1, keepdim=True) + eps)


class GraphLayer(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.message = nn.Linear(d_in, d_out)
        self.own = nn.Linear(d_out, d_out)

    def forward(self, nodes: Tensor, adjacency: Tensor) -> Tensor:
        messages = self.message(nodes)
        received = torch.relu(einsum("b m n, b n d -> b m d", row_normalise(adjacency), messages) + self.own(messages))
        return received


class GraphRegressor(nn.Module):
    def __init__(self, cfg: GraphConfig) -> None:
        super().__init__()
        self.layer = GraphLayer(cfg.node_dim, cfg.hidden)
        self.readout = nn.Linear(cfg.hidden, cfg.targets)

    def forward(self, nodes: Tensor, adjacency: Tensor) -> Tensor:
        return self.readout(self.layer(nodes, adjacency).mean(dim=1))


GraphRegressor(GraphConfig())(torch.randn(2, 5, 8), torch.rand(2, 5, 5))

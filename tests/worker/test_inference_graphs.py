"""Inputs that are graphs: objects of a class of the workspace with nodes and edges, and what stands beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.test_inference import found, works

GRAPH = """
class Data:
    def __init__(self, x=None, y=None, **kwargs):
        self.x, self.y = x, y
        for key, item in kwargs.items():
            setattr(self, key, item)
        self.edge_index = kwargs.get("edge_index")
        self.weight = None
    def sym_norm(self):
        row, col = self.edge_index
        degrees = torch.zeros(self.x.shape[0]).scatter_add_(0, row, torch.ones(col.shape[0]))
        self.weight = degrees[row].rsqrt()
        return self
def propagate(graph, x):
    graph.sym_norm()
    row, col = graph.edge_index
    return torch.zeros_like(x).index_add_(0, row, x[col] * graph.weight.unsqueeze(1))
"""
FORWARDS = {
    "a graph alone": "def forward(self, graph):\n        graph.sym_norm()\n        x = graph.x",
    "a graph beside its nodes": "def forward(self, graph, x):",
}


@pytest.mark.parametrize("name", FORWARDS)
def test_graphs_are_made_of_nodes_and_edges(tmp_path: Path, name: str) -> None:
    source = f"""{GRAPH}
class Net(nn.Module):
    def __init__(self, in_feats, hidden_size):
        super().__init__()
        self.fc = nn.Linear(in_feats, hidden_size)
    {FORWARDS[name]}
        y = propagate(graph, self.fc(x))
        return y
"""
    works(tmp_path, source, found(tmp_path, source)["Net"])


def test_what_is_one_tensor_is_no_list(tmp_path: Path) -> None:
    source = """
class Net(nn.Module):
    def __init__(self, width: int = 24):
        super().__init__()
        self.at_nodes = nn.Parameter(torch.ones(width, 8))
        self.at_edges = nn.Parameter(torch.ones(5, 8))
    def forward(self, node_feats: Tensor, edge_feats: Tensor, edge_index: Tensor) -> Tensor:
        weights = edge_feats @ self.at_edges
        x = node_feats @ self.at_nodes
        y = x.index_add(0, edge_index[1], x[edge_index[0]] * weights)
        return y
"""
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert "(f32[16, 24], f32[16, 5], i64[2, 16])" in one.call


def test_nodes_of_which_others_say_the_rows(tmp_path: Path) -> None:
    source = """
class Net(nn.Module):
    def __init__(self, node_dim: int, edge_dim: int):
        super().__init__()
        self.fc = nn.Linear(2 * node_dim + edge_dim, edge_dim)
        self.norm = nn.BatchNorm1d(edge_dim)
    def forward(self, nodes: Tensor, edge_emb: Tensor, i: Tensor, j: Tensor, keep=None) -> Tensor:
        y = self.norm(self.fc(torch.cat([nodes[i], nodes[j], edge_emb], dim=1)))
        return torch.zeros(nodes.shape[0], y.shape[1]).index_add(0, i, y)
"""
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert one.call.endswith("(f32[16, 64], f32[16, 64], i64[16], i64[16])")

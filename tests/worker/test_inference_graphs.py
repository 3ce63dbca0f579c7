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

"""Sizes of inputs that follow from several of them together: what an operation got in vain is measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.test_inference import found, works

JOINED = {
    "channels that add up": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first = nn.Linear(20 + 12, 30)
                self.second = nn.Linear(20 + 30, 30)

            def forward(self, nodes, edges):
                h = self.first(torch.cat([nodes, edges], dim=-1))
                return self.second(torch.cat([nodes, h], dim=-1))
    """,
    "maps that are joined": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.one = nn.Conv2d(7 + 9 + 2, 8, 1)
                self.other = nn.Conv2d(9 + 8, 8, 1)

            def forward(self, low, high, flow):
                x = self.one(torch.cat([low, high, flow], dim=1))
                return self.other(torch.cat([x, high], dim=1))
    """,
    "a graph": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.enter = nn.Linear(20 + 12, 30)
                self.leave = nn.Linear(20 + 30, 30)

            def enters(self, graph):
                return self.enter(torch.cat([graph.V[graph.edge_index[0]], graph.E], dim=1))

            def sent(self, h, graph):
                index = graph.edge_index[1].unsqueeze(1).repeat(1, h.shape[1])
                whole = torch.zeros(len(graph.V), h.shape[1]).scatter_reduce_(0, index, h, reduce="sum")
                return whole[graph.edge_index[0]] - h[graph.reversed_index]

            def forward(self, graph):
                h = self.enters(graph)
                h = h + self.sent(h, graph)
                index = graph.edge_index[1].unsqueeze(1).repeat(1, h.shape[1])
                nodes = torch.zeros(len(graph.V), h.shape[1]).scatter_reduce_(0, index, h, reduce="sum")
                return self.leave(torch.cat((graph.V, nodes), dim=1))
    """,
}


@pytest.mark.parametrize("source", JOINED.values(), ids=JOINED)
def test_sizes_that_add_up(tmp_path: Path, source: str) -> None:
    works(tmp_path, source, found(tmp_path, source)["Net"])

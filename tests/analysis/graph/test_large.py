"""Graphs of twenty thousand nodes are drawn while one waits."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from fx_lsp.analysis.graph.hierarchy import draw
from fx_lsp.model.graph import Graph, GraphNode, GraphScope
from fx_lsp.model.value import TensorType

NODES = 20_000


class Built:
    """A graph that grows."""

    def __init__(self) -> None:
        self.nodes = [GraphNode(name, "placeholder", name, "", (), 0) for name in ("x", "mask")]
        self.scopes = [GraphScope("", "Net")]

    def node(self, target: str, *inputs: int, scope: int = 0, output: int = 0) -> int:
        """A call of a function."""
        name = f"n{len(self.nodes)}"
        code = f"{name} = {target}({', '.join(self.nodes[one].name for one in inputs)})"
        self.nodes.append(GraphNode(name, "call_function", target, code, inputs, output, scope))
        return len(self.nodes) - 1

    def scope(self, path: str, name: str, parent: int = 0) -> int:
        """A call of a module."""
        self.scopes.append(GraphScope(path, name, parent))
        return len(self.scopes) - 1

    def graph(self) -> Graph:
        """As it is now."""
        return Graph(
            "operator",
            "Net",
            tuple(self.nodes),
            tuple(self.scopes),
            tuple(TensorType("f32", (one,)) for one in range(100)),
        )


def equal_layers() -> Graph:
    """All but one are folded."""
    made, x = Built(), 0
    while len(made.nodes) < NODES:
        layer = made.scope(f"h.{len(made.scopes)}", "Layer")
        attention = made.scope(f"h.{layer}.attn", "Attention", layer)
        y = made.node("torch.softmax", x, 1, scope=attention)
        for _ in range(6):
            y = made.node("torch.relu", y, scope=made.scope(f"h.{layer}.attn.act", "Act", attention))
        x = made.node("operator.add", x, y, scope=layer)
    return made.graph()


def different_layers() -> Graph:
    """Nothing is folded, and each has a reference to the mask."""
    made, x = Built(), 0
    while len(made.nodes) < NODES:
        layer = made.scope(f"h.{len(made.scopes)}", "Layer")
        for _ in range(8):
            x = made.node("operator.add", x, 1, scope=layer, output=layer % 97)
    return made.graph()


def one_module() -> Graph:
    """No scopes."""
    made, x = Built(), 0
    while len(made.nodes) < NODES:
        x = made.node("operator.add", x, 1)
    return made.graph()


def equal_calls_fed_at_random() -> Graph:
    """What looks like one long run and is none."""
    made = Built()
    while len(made.nodes) < NODES:
        count = len(made.nodes)
        source = count - 1 - count * 7919 % min(count, 13)
        made.node("torch.relu", source, scope=made.scope("cell", "Cell"))
    return made.graph()


@pytest.mark.parametrize("made", [equal_layers, different_layers, one_module, equal_calls_fed_at_random])
def test_a_large_graph_is_drawn_in_time(made: Callable[[], Graph]) -> None:
    graph = made()
    started = time.process_time()
    drawing = draw(graph)
    assert time.process_time() - started < 10, "it is near one second on an idle machine"
    assert sum(one.role == "operation" for one in drawing.nodes) == len(graph.nodes) - 2

"""Sums over what is below each scope."""

from __future__ import annotations

from dataclasses import dataclass, field

from fx_lsp.analysis.graph.boxes import Boxes
from fx_lsp.analysis.graph.drawing import child_of_scope
from fx_lsp.analysis.graph.sources import Sources
from fx_lsp.analysis.graph.tree import Tree
from fx_lsp.model.graph import Graph


@dataclass
class Total:
    """Of one scope."""

    operations: int = 0
    flops: int = 0
    bytes: int = 0
    failed: bool = False
    owners: dict[str, int] = field(default_factory=dict[str, int])
    """Elements of parameters, by the path of the module or parameter that has them."""

    @property
    def parameters(self) -> int:
        """Elements of all parameters."""
        return sum(self.owners.values())


def totals(graph: Graph, tree: Tree, known: Sources, made: Boxes) -> list[Total]:
    """Of each box.  A module has the parameters that it says; a repeat those of its members, shared ones once."""
    found = [Total() for _ in made.boxes]
    for number in reversed(range(len(made.boxes))):
        box, total = made.boxes[number], found[number]
        for child in box.children:
            _add(total, found[child_of_scope(child)] if child < 0 else _own(graph, known, child))
        if box.form == "module":
            call = graph.scopes[tree.calls[box.scope]]
            total.owners = {call.path: call.parameters}
    return found


def _add(total: Total, part: Total) -> None:
    total.operations += part.operations
    total.flops += part.flops
    total.bytes += part.bytes
    total.failed |= part.failed
    total.owners.update(part.owners)


def _own(graph: Graph, known: Sources, number: int) -> Total:
    if number >= len(graph.nodes):
        return Total()  # a reference
    node = graph.nodes[number]
    owners = {node.target: node.parameters} if node.op == "call_module" else {}
    for value in known.held[number]:
        whole = graph.nodes[known.maker[value]]
        owners[whole.target] = whole.parameters
    operation = node.op not in ("placeholder", "output", "get_attr")
    return Total(int(operation), node.flops, node.bytes, number == graph.failed, owners)

"""What makes two boxes alike: what they do and how data goes through them, not what they are called."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass

from fx_lsp.analysis.graph.drawing import child_of_scope
from fx_lsp.analysis.graph.sources import Sources
from fx_lsp.analysis.graph.tree import Tree
from fx_lsp.analysis.graph.wires import Wires
from fx_lsp.model.graph import Graph, GraphNode

_NAMES = re.compile(r"[^\W\d][\w.]*")
_PLACES = ("operator.getitem", "operator.setitem")
"""Which element: the step of an unrolled loop takes another one each time."""


@dataclass(frozen=True)
class Alike:
    """Two boxes have the same kind when they are alike."""

    nodes: list[int]
    """Kind of each node of the graph; -1 without a box."""
    scopes: list[int]
    """Kind of each scope of the tree."""
    parts: list[int]
    """Of each value: which part of the output of its maker it is."""


class Kinds:
    """Numbers for what is equal."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def of(self, thing: Hashable) -> int:
        """The number of everything that equals `thing`."""
        return self._numbers.setdefault(thing, len(self._numbers))


def alike(graph: Graph, tree: Tree, known: Sources, wires: Wires, kinds: Kinds) -> Alike:
    """Compare everything with everything, in one pass from the innermost scopes outwards."""
    made = Alike([-1] * len(graph.nodes), [-1] * len(tree.parents), [0] * len(graph.nodes))
    for number, node in enumerate(graph.nodes):
        if known.maker[number] == number:
            made.nodes[number] = kinds.of(_node(graph, number, known))
        else:
            (whole,) = node.inputs
            step = node.code.partition(" = ")[2].replace(graph.nodes[whole].name, "", 1)
            made.parts[number] = kinds.of(("part", made.parts[whole], node.target, step))
    for scope in reversed(range(len(tree.parents))):
        made.scopes[scope] = kinds.of(_scope(graph, scope, tree, known, wires, made))
    return made


def _node(graph: Graph, number: int, known: Sources) -> Hashable:
    node = graph.nodes[number]
    held = tuple((graph.nodes[one].source, graph.nodes[one].output) for one in known.held[number])
    does = node.source if node.op == "call_module" else node.target
    return does, node.op, _constants(node), node.output, node.parameters, held, number == graph.failed


def _constants(node: GraphNode) -> str:
    """The numbers among its arguments."""
    if node.op not in ("call_function", "call_method") or node.target in _PLACES:
        return ""
    return _NAMES.sub("", node.code.partition(" = ")[2])


def _scope(graph: Graph, scope: int, tree: Tree, known: Sources, wires: Wires, made: Alike) -> Hashable:
    entries = wires.entries[scope]
    inside: dict[int, tuple[int, int]] = {}

    def end(value: int) -> tuple[int, int, int]:
        """Where a value comes from, as seen from inside."""
        output = graph.nodes[value].output
        return (*inside[value], output) if value in inside else (-1, entries[value], output)

    children: list[Hashable] = []
    for place, child in enumerate(tree.children[scope]):
        inner = child_of_scope(child)
        if child >= 0:
            reads = known.reads[child]
            children.append((made.nodes[child], tuple(end(value) for value in reads)))
            inside.update((value, (place, made.parts[value])) for value in known.made[child])
        else:
            children.append((made.scopes[inner], tuple(end(value) for value in wires.entries[inner])))
            inside.update((value, (place, exit)) for value, exit in wires.exits[inner].items())
    leaving = tuple(end(value) for value in wires.exits[scope])
    call = graph.scopes[tree.calls[scope]]
    return call.name, call.parameters, tuple(children), leaving

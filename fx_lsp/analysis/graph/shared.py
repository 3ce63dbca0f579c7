"""Sources that many modules read one after the other: masks, tables of positions, the memory of an encoder.

An edge from such a source to each of them would pass by all that stands between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fx_lsp.analysis.graph.drawing import child_of_scope
from fx_lsp.analysis.graph.sources import Sources
from fx_lsp.analysis.graph.tree import Tree
from fx_lsp.analysis.graph.wires import Wires

MANY = 3
"""Modules, each at another depth of their scope; those at the same depth are branches, and edges to them are short."""


@dataclass(frozen=True)
class Shared:
    """What is shared."""

    first: dict[int, dict[int, int]]
    """By value: for each scope with many modules that read it, the first of these."""


def shared(tree: Tree, known: Sources, wires: Wires) -> Shared:
    """What is shared in the whole graph."""
    first: dict[int, dict[int, int]] = {}
    for scope, children in enumerate(tree.children):
        inner = [child_of_scope(child) for child in children if child < 0]
        if len(inner) < MANY:
            continue
        readers: dict[int, list[int]] = {}
        for child in inner:
            for value in wires.entries[child]:
                readers.setdefault(value, []).append(child)
        many = {value: found for value, found in readers.items() if len(found) >= MANY}
        if not many:
            continue
        depth = _depths(children, known, wires)
        for value, found in many.items():
            if len({depth[child_of_scope(child)] for child in found}) >= MANY:
                first.setdefault(value, {})[scope] = found[0]
    return Shared(first)


def _depths(children: Sequence[int], known: Sources, wires: Wires) -> dict[int, int]:
    """Of each child: the most children that stand before it on a way that data takes."""
    depth: dict[int, int] = {}
    made: dict[int, int] = {}
    for child in children:
        scope = child_of_scope(child)
        reads = known.reads[child] if child >= 0 else wires.entries[scope]
        own = depth[child] = max((made.get(value, 0) for value in reads), default=0)
        for value in known.made[child] if child >= 0 else wires.exits[scope]:
            made[value] = own + 1
    return depth

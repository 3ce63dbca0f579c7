"""Which uses of a shared source become references, and in which boxes these stand."""

from __future__ import annotations

from dataclasses import dataclass

from fx_lsp.analysis.graph.boxes import Boxes
from fx_lsp.analysis.graph.shared import Shared
from fx_lsp.analysis.graph.sources import Sources
from fx_lsp.analysis.graph.tree import Tree


@dataclass(frozen=True)
class References:
    """The uses of values, with each reference a value of its own, numbered on from the nodes of the graph."""

    uses: list[list[int]]
    """Of each node of the graph: the values that it reads."""
    maker: list[int]
    """Of each value."""
    home: list[int]
    """The box of each node and each reference."""
    origins: list[int]
    """Of each reference: the value that it stands for."""

    def reads(self, node: int) -> list[int]:
        """The values that a node reads; none for a reference."""
        return self.uses[node] if node < len(self.uses) else []


def references(tree: Tree, known: Sources, apart: Shared, made: Boxes) -> References:
    """Replace the uses, and put each reference before the first node that reads it."""
    count = len(tree.home)
    found = References([list(reads) for reads in known.reads], list(known.maker), list(made.home), [])
    if not apart.first:
        return found
    numbers: dict[tuple[int, int], int] = {}
    before: dict[int, list[int]] = {}
    for node in known.drawn:
        for place, value in enumerate(found.uses[node]):
            if value not in apart.first or _stays(value, node, tree, known, apart, made):
                continue
            key = value, made.home[node]
            if key not in numbers:
                numbers[key] = count + len(found.origins)
                before.setdefault(node, []).append(numbers[key])
                found.origins.append(value)
                found.maker.append(numbers[key])
                found.home.append(made.home[node])
            found.uses[node][place] = numbers[key]
    for box in made.boxes:
        box.children = [one for child in box.children for one in (*before.get(child, ()), child)]
    return found


def _stays(value: int, node: int, tree: Tree, known: Sources, apart: Shared, made: Boxes) -> bool:
    """Whether the use keeps its edge: where the value is made and in what is around, and on the main flow in the first
    module that reads it, with the others of its repeat."""
    here, home = tree.home[node], tree.home[known.maker[value]]
    first = apart.first[value]
    while here != home:
        if here < home:
            home = tree.parents[home]
            continue
        parent = tree.parents[here]
        if not known.flow[value]:
            return False
        if parent in first and _box_in(parent, here, made) != _box_in(parent, first[parent], made):
            return False
        here = parent
    return True


def _box_in(parent: int, scope: int, made: Boxes) -> int:
    """The box right in that of `parent` that the scope is in."""
    inner, outer = made.of_scope[scope], made.of_scope[parent]
    while made.boxes[inner].parent != outer:
        inner = made.boxes[inner].parent
    return inner

"""The edges of each box, and whether the members of each repeat really have the same."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

from fx_lsp.analysis.graph.alike import Kinds
from fx_lsp.analysis.graph.boxes import Boxes
from fx_lsp.analysis.graph.drawing import BORDER, child_of_scope
from fx_lsp.analysis.graph.references import References
from fx_lsp.analysis.graph.wires import Numbers, Wires


class Link(NamedTuple):
    """See the fields of the same names of `DrawnEdge`; nodes are those of the graph, with references behind them."""

    source: int
    target: int
    value: int
    exit: int
    entry: int


def links(made: Boxes, uses: References, wires: Wires, makes: list[list[int]]) -> list[list[Link]]:
    """Of each box, in order of execution of their targets; `makes` has the values that come out of each node."""
    return [list(_links(number, made, uses, wires, makes)) for number in range(len(made.boxes))]


def _links(number: int, made: Boxes, uses: References, wires: Wires, makes: list[list[int]]) -> Iterator[Link]:
    sources = {value: (BORDER, entry) for value, entry in wires.entries[number].items()}
    for child in made.boxes[number].children:
        scope = child_of_scope(child)
        reads: Numbers = wires.entries[scope] if child < 0 else dict.fromkeys(uses.reads(child), 0)
        for value, entry in reads.items():
            source, leaves_by = sources[value]
            yield Link(source, child, value, leaves_by, entry)
        out: Numbers = wires.exits[scope] if child < 0 else dict.fromkeys(makes[child], 0)
        sources.update((value, (child, leaves_by)) for value, leaves_by in out.items())
    for value, leaves_by in wires.exits[number].items():
        yield Link(sources[value][0], BORDER, value, sources[value][1], leaves_by)


def uneven(made: Boxes, wires: Wires, found: list[list[Link]], kinds: Kinds) -> set[int]:
    """The first child of each repeat whose members do not all look the same: where a source is a reference in one
    member and comes in by an edge in another."""
    looks = [-1] * len(made.boxes)
    odd: set[int] = set()
    for number in reversed(range(len(made.boxes))):
        box = made.boxes[number]
        places = {child: place for place, child in enumerate(box.children)}
        inner = [looks[child_of_scope(child)] if child < 0 else -1 for child in box.children]
        if box.form == "repeat":
            if len(set(inner)) > 1:
                odd.add(box.items[0].child)
            look: Hashable = inner[0], box.times
        else:
            ends = tuple(
                (places.get(link.source, -1), places.get(link.target, -1), link.exit, link.entry)
                for link in found[number]
            )
            look = tuple(inner), ends, len(wires.entries[number]), len(wires.exits[number])
        looks[number] = kinds.of(("look", look))
    return odd

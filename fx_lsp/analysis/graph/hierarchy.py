"""Makes a graph ready to be drawn.

The module calls are the boxes that open.  On the way to the drawing equal neighbours become one box, sources that many
modules read get references, and every other use of a value is lifted to the scope that has both its ends.
"""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager

from fx_lsp.analysis.graph.alike import Kinds, alike
from fx_lsp.analysis.graph.boxes import boxes
from fx_lsp.analysis.graph.drawing import Drawing
from fx_lsp.analysis.graph.folding import Folding
from fx_lsp.analysis.graph.links import links, uneven
from fx_lsp.analysis.graph.nodes import drawn_nodes
from fx_lsp.analysis.graph.references import references
from fx_lsp.analysis.graph.scopes import drawn_scopes
from fx_lsp.analysis.graph.shared import shared
from fx_lsp.analysis.graph.sources import UNSEEN, sources
from fx_lsp.analysis.graph.tree import tree
from fx_lsp.analysis.graph.values import Values
from fx_lsp.analysis.graph.wires import wire
from fx_lsp.model.graph import Graph


def draw(graph: Graph) -> Drawing:
    """The drawing of a graph."""
    with _without_collecting():
        return _draw(graph)


@contextmanager
def _without_collecting() -> Generator[None, None, None]:
    """Hundreds of thousands of objects are made and few let go: to look for garbage takes two fifths of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _draw(graph: Graph) -> Drawing:
    known = sources(graph)
    calls = tree(graph, known.drawn)
    wires = wire(calls.parents, calls.home, ((node, known.reads[node]) for node in known.drawn), known.maker)
    apart = shared(calls, known, wires)
    kinds = Kinds()
    compared = alike(graph, calls, known, wires, kinds)
    refused: set[int] = set()
    while True:
        made = boxes(calls, Folding(graph, calls, known, wires, compared, kinds, refused))
        uses = references(calls, known, apart, made)
        lifted = wire(made.parents(), uses.home, ((node, uses.uses[node]) for node in known.drawn), uses.maker)
        makes = [*known.made, *([number] for number in range(len(graph.nodes), len(uses.maker)))]
        found = links(made, uses, lifted, makes)
        odd = uneven(made, lifted, found, kinds)
        if not odd:
            break
        refused |= odd  # it grows, and ends when nothing is folded
    values = Values(graph)
    nodes, numbers = drawn_nodes(graph, known, uses, values)
    scopes = drawn_scopes(graph, calls, known, made, uses, lifted, found, values, numbers)
    return Drawing(
        level=graph.level,
        name=graph.name,
        nodes=tuple(nodes),
        scopes=tuple(scopes),
        values=tuple(values.drawn),
        spans=graph.spans,
        omitted=graph.omitted,
        unseen=sum(node.source == UNSEEN for node in graph.nodes),
    )

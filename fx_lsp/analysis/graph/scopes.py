"""The scopes of a drawing: their edges, names and totals."""

from __future__ import annotations

from fx_lsp.analysis.graph.boxes import Boxes
from fx_lsp.analysis.graph.drawing import DrawnEdge, DrawnScope
from fx_lsp.analysis.graph.labels import labels
from fx_lsp.analysis.graph.links import Link
from fx_lsp.analysis.graph.references import References
from fx_lsp.analysis.graph.sources import Sources
from fx_lsp.analysis.graph.totals import totals
from fx_lsp.analysis.graph.tree import Tree
from fx_lsp.analysis.graph.values import Values
from fx_lsp.analysis.graph.wires import Wires
from fx_lsp.model.graph import Graph


def drawn_scopes(
    graph: Graph, tree: Tree, known: Sources, made: Boxes, uses: References, wires: Wires, found: list[list[Link]],
    values: Values, numbers: list[int],
) -> list[DrawnScope]:  # fmt: skip
    """All of them; `numbers` has the number of each node in the drawing."""
    count = len(graph.nodes)
    named, sums = labels(graph, tree, made), totals(graph, tree, known, made)

    def value_of(value: int) -> int:
        return values.on_edge(value if value < count else uses.origins[value - count])

    def drawn(child: int) -> int:
        return numbers[child] if child >= 0 else child

    def edge(link: Link) -> DrawnEdge:
        return DrawnEdge(drawn(link.source), drawn(link.target), value_of(link.value), link.exit, link.entry)

    return [
        DrawnScope(
            form=box.form,
            title=label.title,
            path=label.path,
            key=label.key,
            parent=box.parent,
            times=box.times,
            place=label.place,
            definition=label.definition,
            inputs=tuple(map(value_of, wires.entries[number])),
            outputs=tuple(map(value_of, wires.exits[number])),
            children=tuple(map(drawn, box.children)),
            # Two parts of one output that are alike go from box to box as one.
            edges=tuple(dict.fromkeys(map(edge, found[number]))),
            operations=total.operations,
            parameters=total.parameters,
            flops=total.flops,
            bytes=total.bytes,
            failed=total.failed,
        )
        for number, (box, label, total) in enumerate(zip(made.boxes, named, sums, strict=True))
    ]

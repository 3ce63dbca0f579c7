"""The scopes of a drawing: their edges, names and totals."""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.graph.boxes import Box, Boxes
from fx_lsp.analysis.graph.drawing import BORDER, DrawnEdge, DrawnScope, child_of_scope
from fx_lsp.analysis.graph.labels import Label, labels
from fx_lsp.analysis.graph.references import References
from fx_lsp.analysis.graph.sources import Sources
from fx_lsp.analysis.graph.totals import totals
from fx_lsp.analysis.graph.tree import Tree
from fx_lsp.analysis.graph.values import Values
from fx_lsp.analysis.graph.wires import Wires, wire
from fx_lsp.model.graph import Graph


class Scopes:
    """Makes the scopes from their boxes."""

    def __init__(
        self, graph: Graph, tree: Tree, known: Sources, made: Boxes, uses: References, values: Values,
        numbers: list[int],
    ) -> None:  # fmt: skip
        self._made, self._uses, self._values, self._numbers = made, uses, values, numbers
        self._count = len(graph.nodes)
        self._makes = [*known.made, *([self._count + number] for number in range(len(uses.origins)))]
        reads = ((node, uses.uses[node]) for node in known.drawn)
        self._wires: Wires = wire(made.parents(), uses.home, reads, uses.maker)
        self._labels: list[Label] = labels(graph, tree, made)
        self._totals = totals(graph, tree, known, made)

    def drawn(self) -> list[DrawnScope]:
        """All of them."""
        return [self._scope(number, box) for number, box in enumerate(self._made.boxes)]

    def _scope(self, number: int, box: Box) -> DrawnScope:
        label, total = self._labels[number], self._totals[number]
        return DrawnScope(
            form=box.form,
            title=label.title,
            path=label.path,
            key=label.key,
            parent=box.parent,
            times=box.times,
            place=label.place,
            definition=label.definition,
            inputs=tuple(map(self._value, self._wires.entries[number])),
            outputs=tuple(map(self._value, self._wires.exits[number])),
            children=tuple(map(self._child, box.children)),
            edges=tuple(self._edges(number, box)),
            operations=total.operations,
            parameters=total.parameters,
            flops=total.flops,
            bytes=total.bytes,
            failed=total.failed,
        )

    def _edges(self, number: int, box: Box) -> Iterator[DrawnEdge]:
        """In order of execution of their targets."""
        entries, exits = self._wires.entries, self._wires.exits
        sources: dict[int, tuple[int, int]] = {value: (BORDER, entry) for value, entry in entries[number].items()}
        for child in box.children:
            scope, target = child_of_scope(child), self._child(child)
            if child < 0:
                reads = entries[scope]
            else:
                reads = dict.fromkeys(self._uses.uses[child] if child < self._count else (), 0)
            for value, entry in reads.items():
                source, exit = sources[value]
                yield DrawnEdge(source, target, self._value(value), exit, entry)
            makes = exits[scope] if child < 0 else dict.fromkeys(self._makes[child], 0)
            sources.update((value, (target, exit)) for value, exit in makes.items())
        for value, exit in exits[number].items():
            source, leaves_by = sources[value]
            yield DrawnEdge(source, BORDER, self._value(value), leaves_by, exit)

    def _child(self, child: int) -> int:
        return self._numbers[child] if child >= 0 else child

    def _value(self, value: int) -> int:
        return self._values.on_edge(value if value < self._count else self._uses.origins[value - self._count])

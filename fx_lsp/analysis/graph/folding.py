"""The boxes of each scope with equal neighbours made one."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from fx_lsp.analysis.graph.alike import Alike, Kinds
from fx_lsp.analysis.graph.drawing import child_of_scope
from fx_lsp.analysis.graph.runs import Item, Run, runs
from fx_lsp.analysis.graph.sources import Sources
from fx_lsp.analysis.graph.tree import Tree
from fx_lsp.analysis.graph.wires import Wires
from fx_lsp.model.graph import Graph
from fx_lsp.model.span import Span

_NUMBER = re.compile(r"\d+")

ROUNDS = 4
"""How deep repeats of repeats go."""


class Folding:
    """Folds the scopes of one tree, but for repeats that start with one of the `refused` children."""

    def __init__(
        self, graph: Graph, tree: Tree, known: Sources, wires: Wires, made: Alike, kinds: Kinds, refused: set[int]
    ) -> None:
        self._graph, self._tree, self._known = graph, tree, known
        self._wires, self._alike, self._kinds, self._refused = wires, made, kinds, refused

    def children(self, scope: int) -> list[Item]:
        """What is in a scope."""
        items = [self._item(child) for child in self._tree.children[scope]]
        return self._fold(items, self._wires.exits[scope])

    def _item(self, child: int) -> Item:
        nodes, scope = self._graph.nodes, child_of_scope(child)
        if child >= 0:
            makes = {value: self._alike.parts[value] for value in self._known.made[child]}
            span = self._span(nodes[child].span)
            return Item(self._alike.nodes[child], self._known.reads[child], makes, False, "", span, child)
        call = self._graph.scopes[self._tree.calls[scope]]
        reads, makes = list(self._wires.entries[scope]), self._wires.exits[scope]
        # What is alike is one of several only if it is called like the others: queries, keys and values are not.
        kind = self._kinds.of((self._alike.scopes[scope], _NUMBER.sub("#", call.path)))
        return Item(kind, reads, makes, True, call.path, self._span(call.span), child)

    def _span(self, number: int) -> Span | None:
        return self._graph.spans[number] if number >= 0 else None

    def _fold(self, items: list[Item], leaves: Collection[int]) -> list[Item]:
        for number in range(ROUNDS):
            if sum(item.opens for item in items) < 2:
                return items
            # What was branches to different boxes may all lead to one once these are folded.
            found = runs(items, leaves, self._sort, branches=number == 0)
            found = [run for run in found if items[run.start].child not in self._refused]
            if not found:
                return items
            last = _last_readers(items, leaves)
            folded: list[Item] = []
            place = 0
            for run in found:
                folded += items[place : run.start]
                folded.append(self._repeat(items, run, last))
                place = run.end
            items = folded + items[place:]
        return items

    def _sort(self, value: int) -> tuple[int, int]:
        maker = self._known.maker[value]
        made_of = self._known.reads[maker] or self._known.held[maker]
        return self._graph.nodes[value].output, -1 if made_of else self._alike.nodes[maker]

    def _repeat(self, items: Sequence[Item], run: Run, last: dict[int, int]) -> Item:
        members: list[tuple[Item, ...]] = []
        for start in range(run.start, run.end, run.period):
            end = start + run.period
            inside = list(items[start:end])
            if run.period > 1:
                inside = self._fold(inside, {value for item in inside for value in item.makes if last[value] >= end})
            members.append(tuple(inside))
        every = items[run.start : run.end]
        makes = {
            value: self._kinds.of(("of repeat", place, which))
            for place, item in enumerate(every)
            for value, which in item.makes.items()
        }
        reads = dict.fromkeys(value for item in every for value in item.reads if value not in makes)
        kind = self._kinds.of(("repeat", run.times, tuple(item.kind for item in every[: run.period])))
        first = next(item for item in every if item.opens)
        return Item(kind, tuple(reads), makes, True, first.path, every[0].span, every[0].child, tuple(members))


def _last_readers(items: Sequence[Item], leaves: Collection[int]) -> dict[int, int]:
    """Of each value the place of the last box that reads it; behind all when it leaves the sequence."""
    last = {value: len(items) if value in leaves else -1 for item in items for value in item.makes}
    last.update(
        (value, place) for place, item in enumerate(items) for value in item.reads if last.get(value, 0) < place
    )
    return last

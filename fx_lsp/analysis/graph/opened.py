"""A drawing with everything open, as pictures show it: a repeat is one box with the contents of its first member."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fx_lsp.analysis.graph.drawing import BORDER, Drawing, DrawnScope, child_of_scope


@dataclass(frozen=True)
class Arrow:
    """An edge between two children of what is shown, or its border."""

    source: int
    target: int
    value: int
    exit: int
    entry: int


class Opened:
    """Looks at a drawing."""

    def __init__(self, drawing: Drawing) -> None:
        self.drawing = drawing
        self._borders: dict[int, tuple[dict[int, int], dict[int, list[int]]]] = {}

    def scopes(self) -> list[int]:
        """The scopes that have a box, each after the one around it."""
        found = [0]
        for number in found:  # it grows meanwhile
            found += [child_of_scope(child) for child in self.shown(number).children if child < 0]
        return found

    def shown(self, number: int) -> DrawnScope:
        """The scope whose contents are shown: itself, or of a repeat the first member."""
        scope = self.drawing.scopes[number]
        return self.shown(child_of_scope(scope.children[0])) if scope.form == "repeat" else scope

    def heading(self, number: int) -> str:
        """`Block × 12`."""
        scope = self.drawing.scopes[number]
        times = 1
        inner = scope
        while inner.form == "repeat":
            times *= inner.times
            inner = self.drawing.scopes[child_of_scope(inner.children[0])]
        return f"{scope.title} × {times}" if scope.form == "repeat" else scope.title

    def arrows(self, scope: DrawnScope) -> list[Arrow]:
        """The edges of a scope whose contents are shown; at a repeat they end where its member does."""
        found: dict[Arrow, None] = {}
        for edge in scope.edges:
            source, leaves_by = edge.source, edge.exit
            if source < BORDER:
                leaves_by = self._exit(child_of_scope(source), leaves_by)
            entries = [edge.entry]
            if edge.target < BORDER:
                entries = list(self._entries(child_of_scope(edge.target), edge.entry))
            found.update((Arrow(source, edge.target, edge.value, leaves_by, entry), None) for entry in entries)
        return list(found)

    def _exit(self, number: int, leaves_by: int) -> int:
        """Members are alike: what leaves any of them leaves the first by the exit of the same number."""
        scope = self.drawing.scopes[number]
        if scope.form != "repeat":
            return leaves_by
        return self._exit(child_of_scope(scope.children[0]), self._border(number, scope)[0][leaves_by])

    def _entries(self, number: int, entry: int) -> Iterator[int]:
        scope = self.drawing.scopes[number]
        if scope.form != "repeat":
            yield entry
            return
        for one in self._border(number, scope)[1][entry]:
            yield from self._entries(child_of_scope(scope.children[0]), one)

    def _border(self, number: int, scope: DrawnScope) -> tuple[dict[int, int], dict[int, list[int]]]:
        """Of each exit of a repeat that of its member, of each entry those of its members."""
        known = self._borders.get(number)
        if known is None:
            exits = {edge.entry: edge.exit for edge in scope.edges if edge.target == BORDER}
            entries: dict[int, dict[int, None]] = {}
            for edge in scope.edges:
                if edge.source == BORDER:
                    entries.setdefault(edge.exit, {})[edge.entry] = None
            known = self._borders[number] = exits, {entry: list(found) for entry, found in entries.items()}
        return known

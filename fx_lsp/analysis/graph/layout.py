"""Places boxes in rows, so that edges go down and cross little: Sugiyama's method for one scope.

Rows come from the longest way to each box; what passes a row has a place of its own there.  The order in a row follows
the mean place of neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from fx_lsp.analysis.graph.spacing import Segment, Spacing

GAP_X, GAP_Y = 18.0, 34.0
"""Between neighbours in a row, and between rows."""
GAP_BORDER = 14.0
"""Between the border and the first and last row; nothing is written there."""
LARGE = 1000
"""Boxes above which rows keep the order of execution and edges that pass by many rows go straight."""
ORDERINGS = 8

BORDER = -1


@dataclass(frozen=True)
class Box:
    """What is to be placed.  Offsets count from the middle of the box."""

    width: float
    height: float
    right: float = 0.0
    """Room that it needs to the right of its middle, for what is written at its edges; at least half its width."""
    tops: Sequence[float] = (0.0,)
    """Where edges come in, by number of the entry."""
    bottoms: Sequence[float] = (0.0,)
    """Where edges go out, by number of the exit."""


@dataclass(frozen=True)
class Wire:
    """An edge; ends as in `DrawnEdge`, but boxes by their place in the sequence."""

    source: int
    target: int
    exit: int = 0
    entry: int = 0


@dataclass
class Placed:
    """Where everything is; the border begins at 0, 0."""

    width: float = 0.0
    height: float = 0.0
    boxes: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    """Upper left corners."""
    entries: list[float] = field(default_factory=list[float])
    exits: list[float] = field(default_factory=list[float])
    paths: list[list[tuple[float, float]]] = field(default_factory=list[list[tuple[float, float]]])
    """Of each wire: corners; where a row is passed there are two, one above the other."""


def place(boxes: Sequence[Box], wires: Sequence[Wire], entries: Sequence[float], exits: Sequence[float]) -> Placed:
    """Place boxes given in an order in which every edge goes forward; `entries` and `exits` have the room that each
    needs to its right."""
    return _Rows(boxes, wires, entries, exits).placed()


class _Rows:
    def __init__(
        self, boxes: Sequence[Box], wires: Sequence[Wire], entries: Sequence[float], exits: Sequence[float]
    ) -> None:
        self._boxes, self._wires = boxes, wires
        count = len(boxes)
        self._large = count > LARGE
        self._first_entry, self._first_exit = count, count + len(entries)
        self._left = [box.width / 2 for box in boxes] + [4.0] * (len(entries) + len(exits))
        self._right = [max(box.right, box.width / 2) for box in boxes] + [max(4.0, one) for one in (*entries, *exits)]
        self._first_passing = len(self._left)
        self._row = self._ranks()
        self._segments: list[Segment] = []
        self._chains: list[list[int]] = []
        self._split()
        self._x = [0.0] * len(self._left)
        self._above: list[list[tuple[int, float, float]]] = [[] for _ in self._left]
        self._below: list[list[tuple[int, float, float]]] = [[] for _ in self._left]
        for upper, out, lower, into, weight in self._segments:
            self._above[lower].append((upper, out - into, weight))
            self._below[upper].append((lower, into - out, weight))

    def placed(self) -> Placed:
        """Everything."""
        rows: list[list[int]] = [[] for _ in range(max(self._row, default=0) + 1)]
        for vertex, row in enumerate(self._row):
            rows[row].append(vertex)
        for row in rows:
            self._pack(row)
        for number in range(1 if self._large else ORDERINGS):
            down = number % 2 == 0
            for row in rows if down else reversed(rows):
                self._order(row, self._above if down else self._below)
        spacing = Spacing(rows, self._segments, self._left, self._right, GAP_X)
        self._x = spacing.settle(sweeps=2, snaps=1) if self._large else spacing.settle()
        return self._measured(rows)

    def _ranks(self) -> list[int]:
        count, exits = len(self._boxes), len(self._left) - self._first_exit
        rank = [1] * count
        into: list[list[int]] = [[] for _ in range(count)]
        out: list[list[int]] = [[] for _ in range(count)]
        for wire in self._wires:
            if wire.target != BORDER:
                into[wire.target].append(wire.source)
            if wire.source != BORDER and wire.target != BORDER:
                out[wire.source].append(wire.target)
        for box in range(count):
            rank[box] = max((rank[source] + 1 for source in into[box] if source != BORDER), default=1)
        for box in reversed(range(count)):
            if not into[box] and out[box]:
                rank[box] = min(rank[target] for target in out[box]) - 1
        last = max(rank, default=0)
        return [*rank, *[0] * (self._first_exit - self._first_entry), *[last + 1] * exits]

    def _split(self) -> None:
        """Give each edge a place in the rows that it passes; edges of one output share it."""
        passing: dict[tuple[int, int, int], int] = {}
        for wire in self._wires:
            upper, out = wire.source, 0.0
            if upper == BORDER:
                upper = self._first_entry + wire.exit
            else:
                out = self._boxes[upper].bottoms[wire.exit]
            lower, into = wire.target, 0.0
            if lower == BORDER:
                lower = self._first_exit + wire.entry
            else:
                into = self._boxes[lower].tops[wire.entry]
            chain = [upper]
            span = self._row[lower] - self._row[upper]
            if not self._large or span <= 10:
                for row in range(self._row[upper] + 1, self._row[lower]):
                    key = upper, wire.exit, row
                    if key not in passing:
                        passing[key] = len(self._left)
                        self._left.append(3.0)
                        self._right.append(3.0)
                        self._row.append(row)
                        self._segment(chain[-1], out if len(chain) == 1 else 0.0, passing[key], 0.0, len(chain) > 1)
                    chain.append(passing[key])
            if len(chain) == span:
                self._segment(chain[-1], out if len(chain) == 1 else 0.0, lower, into, False)
            self._chains.append([*chain, lower])

    def _segment(self, upper: int, out: float, lower: int, into: float, passes: bool) -> None:
        weight = 8.0 if passes else 4.0 if max(upper, lower) < len(self._boxes) else 1.0
        self._segments.append(Segment(upper, out, lower, into, weight))

    def _pack(self, row: Sequence[int]) -> None:
        x = 0.0
        for vertex in row:
            self._x[vertex] = x + self._left[vertex]
            x += self._left[vertex] + self._right[vertex] + GAP_X

    def _order(self, row: list[int], neighbours: list[list[tuple[int, float, float]]]) -> None:
        wanted = {vertex: self._wanted(vertex, neighbours) for vertex in row}
        row.sort(key=lambda vertex: wanted[vertex])
        self._pack(row)

    def _wanted(self, vertex: int, neighbours: list[list[tuple[int, float, float]]]) -> float:
        """Where the edges to the neighbours would be straight."""
        near = neighbours[vertex]
        total = sum(weight for _, _, weight in near)
        if not total:
            return self._x[vertex]
        return sum((self._x[other] + shift) * weight for other, shift, weight in near) / total

    def _measured(self, rows: Sequence[Sequence[int]]) -> Placed:
        if not self._left:
            return Placed()
        left = min(x - room for x, room in zip(self._x, self._left, strict=True))
        xs = [x - left for x in self._x]
        tops: list[float] = []
        bottoms: list[float] = []
        y = 0.0
        exits = self._first_exit < self._first_passing
        for number, row in enumerate(rows):
            height = max((self._boxes[vertex].height for vertex in row if vertex < self._first_entry), default=0.0)
            tops.append(y)
            bottoms.append(y + height)
            outer = number == 0 or (exits and number == len(rows) - 2)
            y += height + (GAP_BORDER if outer else GAP_Y) * bool(row)
        width = max(x + room for x, room in zip(xs, self._right, strict=True))
        placed = Placed(width, max(bottoms))
        for number, box in enumerate(self._boxes):
            middle = (tops[self._row[number]] + bottoms[self._row[number]]) / 2
            placed.boxes.append((xs[number] - box.width / 2, middle - box.height / 2))
        placed.entries = xs[self._first_entry : self._first_exit]
        placed.exits = xs[self._first_exit : self._first_passing]
        placed.paths = [
            self._path(wire, chain, xs, placed, tops, bottoms)
            for wire, chain in zip(self._wires, self._chains, strict=True)
        ]
        return placed

    def _path(
        self, wire: Wire, chain: Sequence[int], xs: Sequence[float], placed: Placed, tops: Sequence[float],
        bottoms: Sequence[float],
    ) -> list[tuple[float, float]]:  # fmt: skip
        first, *passed, last = chain
        x, y = xs[first], 0.0
        if wire.source != BORDER:
            box = self._boxes[first]
            x, y = x + box.bottoms[wire.exit], placed.boxes[first][1] + box.height
        path = [(x, y), (x, bottoms[self._row[first]])]
        for vertex in passed:
            row = self._row[vertex]
            path += [(xs[vertex], tops[row]), (xs[vertex], bottoms[row])]
        x, y = xs[last], placed.height
        if wire.target != BORDER:
            x, y = x + self._boxes[last].tops[wire.entry], placed.boxes[last][1]
        return [*path, (x, tops[self._row[last]]), (x, y)]

"""Where the boxes of a layout stand from left to right, once their order in each row is known.

Row by row they go to the places nearest to where edges would be straight that keep order and distances; the pool of
adjacent violators finds these.  Then ends of edges that can be one above the other without crossing are aligned, as
Brandes and Köpf choose them, as far as their neighbours leave room.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from typing import NamedTuple

SWEEPS, SNAPS = 24, 4


class Segment(NamedTuple):
    """A part of an edge between two rows."""

    upper: int
    out: float
    """Where it leaves, from the middle of the upper end."""
    lower: int
    into: float
    weight: float
    """How much it wants to be straight."""


class Spacing:
    """Moves vertices in rows; `left` and `right` are the room that each needs at its sides."""

    def __init__(
        self,
        rows: Sequence[Sequence[int]],
        segments: Sequence[Segment],
        left: Sequence[float],
        right: Sequence[float],
        gap: float,
    ) -> None:
        self._rows, self._segments = rows, segments
        self._left, self._right, self._gap = left, right, gap
        self.middle = [0.0] * len(left)
        """Of each vertex, where it is now."""
        self._above: list[list[tuple[int, float, float]]] = [[] for _ in left]
        self._below: list[list[tuple[int, float, float]]] = [[] for _ in left]
        for upper, out, lower, into, weight in segments:
            self._above[lower].append((upper, out - into, weight))
            self._below[upper].append((lower, into - out, weight))

    def settle(self, *, sweeps: int = SWEEPS, snaps: int = SNAPS) -> list[float]:
        """The middle of each vertex."""
        for row in self._rows:
            x = 0.0
            for vertex in row:
                self.middle[vertex] = x + self._left[vertex]
                x += self._left[vertex] + self._right[vertex] + self._gap
        for number in range(sweeps):
            down = number % 2 == 0
            for row in self._rows if down else reversed(self._rows):
                self._straighten(row, self._above if down else self._below)
        near = [above + below for above, below in zip(self._above, self._below, strict=True)]
        for row in self._rows:
            self._straighten(row, near)
        lines = list(self._lines())
        for _ in range(snaps):
            for line in lines:
                self._snap(line)
        return self.middle

    def _straighten(self, row: Sequence[int], neighbours: list[list[tuple[int, float, float]]]) -> None:
        blocks: list[tuple[float, float, int]] = []
        offsets: list[float] = []
        offset = 0.0
        # What has no neighbour stays near the others.
        centre = sum(self.middle[vertex] for vertex in row) / max(len(row), 1)
        for number, vertex in enumerate(row):
            if number:
                offset += self._right[row[number - 1]] + self._gap + self._left[vertex]
            offsets.append(offset)
            near = neighbours[vertex]
            weight = sum(one for _, _, one in near)
            pull = sum((self.middle[other] + shift) * one for other, shift, one in near)
            mean, weight, size = (pull / weight if weight else centre) - offset, weight or 0.01, 1
            while blocks and blocks[-1][0] > mean:
                other, other_weight, other_size = blocks.pop()
                mean = (mean * weight + other * other_weight) / (weight + other_weight)
                weight, size = weight + other_weight, size + other_size
            blocks.append((mean, weight, size))
        places = [mean for mean, _, size in blocks for _ in range(size)]
        for vertex, mean, offset in zip(row, places, offsets, strict=True):
            self.middle[vertex] = mean + offset

    def _lines(self) -> Iterator[list[tuple[int, float]]]:
        """Vertices that are to be in one line, from top to bottom, each with its middle as seen from that of the first.

        One edge down and one up for each at most; those that want most to be straight come first.
        """
        index = {vertex: number for row in self._rows for number, vertex in enumerate(row)}
        level = {vertex: number for number, row in enumerate(self._rows) for vertex in row}
        self._at = index, level
        below: dict[int, Segment] = {}
        above: set[int] = set()
        accepted: dict[int, list[tuple[int, int]]] = {}
        for segment in sorted(self._segments, key=lambda one: (-one.weight, self._slant(one))):
            if segment.upper in below or segment.lower in above:
                continue
            ends = index[segment.upper], index[segment.lower]
            others = accepted.setdefault(level[segment.lower], [])
            at = bisect_left(others, ends)
            if (at and others[at - 1][1] >= ends[1]) or (at < len(others) and others[at][1] <= ends[1]):
                continue  # they would cross
            insort(others, ends)
            below[segment.upper] = segment
            above.add(segment.lower)
        for row in self._rows:
            for vertex in row:
                if vertex in below and vertex not in above:
                    line = [(vertex, 0.0)]
                    while (segment := below.get(line[-1][0])) is not None:
                        line.append((segment.lower, line[-1][1] + segment.out - segment.into))
                    yield line

    def _slant(self, segment: Segment) -> float:
        return abs(self.middle[segment.upper] + segment.out - self.middle[segment.lower] - segment.into)

    def _snap(self, line: list[tuple[int, float]]) -> None:
        """Move as many as have room for it into one line, and then the next ones."""
        part: list[tuple[int, float]] = []
        least, most = -1e9, 1e9
        for vertex, offset in line:
            low, high = self._room(vertex)
            if max(least, low - offset) > min(most, high - offset):
                self._move(part, least, most)
                part, least, most = [], -1e9, 1e9
            part.append((vertex, offset))
            least, most = max(least, low - offset), min(most, high - offset)
        self._move(part, least, most)

    def _move(self, part: list[tuple[int, float]], least: float, most: float) -> None:
        mean = sum(self.middle[vertex] - offset for vertex, offset in part) / len(part)
        for vertex, offset in part:
            self.middle[vertex] = min(max(mean, least), most) + offset

    def _room(self, vertex: int) -> tuple[float, float]:
        """How far to the left and to the right it may go."""
        index, level = self._at
        row, number = self._rows[level[vertex]], index[vertex]
        low, high = -1e9, 1e9
        if number:
            other = row[number - 1]
            low = self.middle[other] + self._right[other] + self._gap + self._left[vertex]
        if number + 1 < len(row):
            other = row[number + 1]
            high = self.middle[other] - self._left[other] - self._gap - self._right[vertex]
        # Rounding must not shut out where it is.
        return min(low, self.middle[vertex]), max(high, self.middle[vertex])

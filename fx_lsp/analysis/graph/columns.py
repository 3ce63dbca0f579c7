"""Where the boxes of a layout stand from left to right, once their order in each row is known.

As Brandes and Köpf do it: ends of edges that can be one above the other without crossing are aligned, and what is
aligned moves as one block.  Blocks are pushed to the right of where their neighbours want them, and to the left; the
mean of the two keeps all distances, since each does.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from typing import NamedTuple

SWEEPS = 12


class Segment(NamedTuple):
    """A part of an edge between two rows."""

    upper: int
    out: float
    """Where it leaves, from the middle of the upper end."""
    lower: int
    into: float
    weight: float
    """How much it wants to be straight."""


def columns(
    rows: Sequence[Sequence[int]],
    segments: Sequence[Segment],
    left: Sequence[float],
    right: Sequence[float],
    gap: float,
) -> list[float]:
    """The middle of each vertex; `left` and `right` are the room that it needs at its sides."""
    return _Blocks(rows, segments, left, right, gap).settled()


class _Blocks:
    def __init__(
        self, rows: Sequence[Sequence[int]], segments: Sequence[Segment], left: Sequence[float],
        right: Sequence[float], gap: float,
    ) -> None:  # fmt: skip
        self._rows, self._left, self._right, self._gap = rows, left, right, gap
        self._block = list(range(len(left)))
        self._offset = [0.0] * len(left)
        self._align(segments)
        self._apart()
        self._order = self._sorted()
        self._pulls: list[list[tuple[int, float, float]]] = [[] for _ in left]
        for upper, out, lower, into, weight in segments:
            one, other = self._block[upper], self._block[lower]
            if one != other:
                shift = self._offset[upper] + out - self._offset[lower] - into
                self._pulls[other].append((one, shift, weight))
                self._pulls[one].append((other, -shift, weight))

    def settled(self) -> list[float]:
        """The place of each vertex."""
        place = [0.0] * len(self._block)
        place = self._pushed(place)
        for _ in range(SWEEPS):
            wanted = [self._wanted(block, place) for block in range(len(place))]
            to_right, to_left = self._pushed(wanted), self._pushed(wanted, rightwards=False)
            place = [(one + other) / 2 for one, other in zip(to_right, to_left, strict=True)]
        return [place[block] + offset for block, offset in zip(self._block, self._offset, strict=True)]

    def _align(self, segments: Sequence[Segment]) -> None:
        """One edge down and one up for each vertex at most; those that want most to be straight come first."""
        index = {vertex: number for row in self._rows for number, vertex in enumerate(row)}
        level = {vertex: number for number, row in enumerate(self._rows) for vertex in row}
        below: dict[int, Segment] = {}
        above: set[int] = set()
        accepted: dict[int, list[tuple[int, int]]] = {}
        # Of equal ones the middle edge of a fan comes first.
        fan: dict[int, list[int]] = {}
        for segment in segments:
            fan.setdefault(segment.upper, []).append(index[segment.lower])
        middle = {vertex: sorted(found)[(len(found) - 1) // 2] for vertex, found in fan.items()}
        for segment in sorted(segments, key=lambda one: (-one.weight, abs(index[one.lower] - middle[one.upper]))):
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
                segment = below.get(vertex)
                if segment is not None:
                    self._block[segment.lower] = self._block[vertex]
                    self._offset[segment.lower] = self._offset[vertex] + segment.out - segment.into

    def _apart(self) -> None:
        """The least distance of each block from those to its left and to its right."""
        self._lefts: list[list[tuple[int, float]]] = [[] for _ in self._block]
        self._rights: list[list[tuple[int, float]]] = [[] for _ in self._block]
        for row in self._rows:
            for one, other in zip(row, row[1:], strict=False):
                distance = self._right[one] + self._gap + self._left[other] + self._offset[one] - self._offset[other]
                self._lefts[self._block[other]].append((self._block[one], distance))
                self._rights[self._block[one]].append((self._block[other], distance))

    def _sorted(self) -> list[int]:
        """Blocks from left to right: aligned edges do not cross, so that there is such an order."""
        waiting = [len(found) for found in self._lefts]
        order = [block for block in range(len(waiting)) if self._block[block] == block and not waiting[block]]
        for block in order:  # it grows meanwhile
            for other, _ in self._rights[block]:
                waiting[other] -= 1
                if not waiting[other]:
                    order.append(other)
        return order

    def _wanted(self, block: int, place: Sequence[float]) -> float:
        total = sum(weight for _, _, weight in self._pulls[block])
        if not total:
            return place[block]
        return sum((place[other] + shift) * weight for other, shift, weight in self._pulls[block]) / total

    def _pushed(self, wanted: Sequence[float], *, rightwards: bool = True) -> list[float]:
        place = list(wanted)
        if rightwards:
            for block in self._order:
                place[block] = max([wanted[block], *(place[one] + apart for one, apart in self._lefts[block])])
        else:
            for block in reversed(self._order):
                place[block] = min([wanted[block], *(place[one] - apart for one, apart in self._rights[block])])
        return place

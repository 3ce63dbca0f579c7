"""Equal neighbours in a sequence of boxes: where they start, how many stand in one iteration, how many there are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest

from fx_lsp.model.span import Span

CANDIDATES = 8
"""Periods that are tried at one place: the distances to the next boxes of the same kind."""
LONGEST = 1000
"""Boxes of one iteration."""
PHASES = 4
"""Starts that are tried for one period."""


@dataclass(frozen=True)
class Item:
    """A box of the sequence, or several that were made one."""

    kind: int
    reads: Sequence[int]
    """Values, in order."""
    makes: dict[int, int]
    """Values that others may read, each with what tells it from the others of the box."""
    opens: bool
    """It is a scope."""
    path: str
    """Of the module that it is a call of."""
    span: Span | None
    """Where it is written."""
    child: int
    """Its number, or that of its first box."""
    members: tuple[tuple[Item, ...], ...] = field(default=(), repr=False)
    """The iterations that it stands for, when it is several."""


@dataclass(frozen=True)
class Run:
    """Equal neighbours."""

    start: int
    period: int
    times: int

    @property
    def end(self) -> int:
        """The first place after it."""
        return self.start + self.period * self.times


def runs(
    items: Sequence[Item], leaves: Iterable[int], sort: Callable[[int], tuple[int, int]], branches: bool
) -> list[Run]:
    """The runs of the sequence, from left to right; at each place the one that covers most.

    `leaves` has the values that are read outside the sequence; `sort` says of each value its type, and the kind of what
    makes it from nothing, else -1.  `branches`: also those that carry nothing on from one iteration to the next.
    """
    sequence = _Sequence(items, leaves, sort, branches)
    found: list[Run] = []
    place = 0
    while place < len(items):
        run = sequence.best(place)
        if run is None:
            place += 1
        else:
            found.append(run)
            place = run.end
    return found


class _Sequence:
    def __init__(
        self, items: Sequence[Item], leaves: Iterable[int], sort: Callable[[int], tuple[int, int]], branches: bool
    ) -> None:
        self._items, self._sort, self._branches = items, sort, branches
        self._kinds = [item.kind for item in items]
        self._maker: dict[int, int] = {}
        self._reading: dict[int, list[int]] = {}
        self._scopes = [place for place, item in enumerate(items) if item.opens]
        self._places: dict[int, list[int]] = {}
        self._rank: dict[int, int] = {}
        self._reach: dict[int, int] = {}
        self._barred: dict[int, int] = {}
        self._budget = 40 * len(items)
        for place, item in enumerate(items):
            for value in item.reads:
                self._reading.setdefault(value, []).append(place)
            self._maker.update(dict.fromkeys(item.makes, place))
        for place in self._scopes:
            alike = self._places.setdefault(self._kinds[place], [])
            self._rank[place] = len(alike)
            alike.append(place)
        for value in leaves:
            self._reading.setdefault(value, []).append(len(items))

    def best(self, place: int) -> Run | None:
        """The run from here that covers most boxes, and of such the one with the shortest period."""
        run = self._best(place)
        if run is None or run.start == place:
            return run
        # It does not begin here, and where it begins there may be a better one.
        return min(run, self._best(run.start) or run, key=_worth)

    def _best(self, place: int) -> Run | None:
        found = [run for period in self._periods(place) if (run := self._run(place, period)) is not None]
        return min(found, key=_worth, default=None)

    def _periods(self, place: int) -> list[int]:
        index = bisect_right(self._scopes, place - 1)
        if index == len(self._scopes):
            return []
        first = self._scopes[index]
        alike, rank = self._places[self._kinds[first]], self._rank[first]
        distances = [other - first for other in alike[rank + 1 : rank + 1 + CANDIDATES]]
        return [one for one in distances if first - place < one <= LONGEST and self._barred.get(one, 0) <= place]

    def _run(self, place: int, period: int) -> Run | None:
        end = self._same_until(place, period)
        if end - place < 2 * period or self._budget < 0:
            return None
        self._budget -= period
        possible = range(place, min(place + period, end - 2 * period + 1))
        barred = place + 1
        for start in nsmallest(PHASES, possible, key=lambda one: self._fit(one, period, end)):
            times, later = self._consistent(start, period, (end - start) // period)
            if times > 1:
                times = self._equally_bordered(start, period, times)
                if times > 1 and (times := self._equally_read(start, period, times)) > 1:
                    return Run(start, period, times)
                later = start + 1
            barred = max(barred, later)
        self._barred[period] = barred
        return None

    def _same_until(self, place: int, period: int) -> int:
        """Where the kinds no longer repeat."""
        end = self._reach.get(period, 0)
        if end <= place + period:
            end = place + period
            while end < len(self._kinds) and self._kinds[end] == self._kinds[end - period]:
                end += 1
            self._reach[period] = end
        return end

    def _fit(self, start: int, period: int, end: int) -> tuple[bool, bool, int, bool, int]:
        """How well an iteration begins here; the smallest is best.

        Modules of one element of a list belong together; a loop's body goes down the lines and back up to its start;
        most begin with a module.
        """
        items, scopes = self._items, self._scopes
        index = bisect_right(scopes, start - 1)
        split = False
        if 0 < index < len(scopes) and scopes[index - 1] + period < len(items):
            before, after = scopes[index - 1], scopes[index]
            element = _element(items[before].path, items[before + period].path)
            split = bool(element) and items[after].path.split(".")[: len(element)] == element
        upwards = _upwards(items[start + period - 1].span, items[start + period].span)
        return split, not upwards, -((end - start) // period), not items[start].opens, start

    def _consistent(self, start: int, period: int, times: int) -> tuple[int, int]:
        """How many iterations have the same data flow; when it is one: the first start from which it may be more."""
        for place in range(start + period, start + period * times):
            reads, earlier = self._items[place].reads, self._items[place - period].reads
            # Of an iteration that is the first, other data flow may come in.
            later = place - period + 1
            if len(reads) != len(earlier):
                return (place - start) // period, later
            for value, other in zip(reads, earlier, strict=True):
                first, last = self._corresponds(value, other, period)
                if not first <= start <= last:
                    return (place - start) // period, min(later, first) if start < first else later
        return times, start

    def _corresponds(self, value: int, earlier: int, period: int) -> tuple[int, int]:
        """The first and last start of a run in which `value` is to an iteration what `earlier` is to the one before.

        That is so when both are the same and older than the run; when each is its own, as one state for each layer;
        when they come from the same place, seen from where they are read; and when the second comes in from outside
        for what is then carried on from iteration to iteration.
        """
        maker, source = self._maker.get(value, -1), self._maker.get(earlier, -1)
        if value == earlier:
            return maker + 1, len(self._items)
        kind, origin = self._sort(value)
        other, source_origin = self._sort(earlier)
        if kind != other:
            return len(self._items), -1
        if source == maker - period and source >= 0:
            same = self._items[source].makes[earlier] == self._items[maker].makes[value]
            if not same:
                return source + 1, maker
            return 0, len(self._items) if origin != -1 and origin == source_origin else maker
        if origin != -1 and origin == source_origin:
            return max(maker, source) + 1, len(self._items)
        return max(source, maker - period) + 1, maker

    def _equally_bordered(self, start: int, period: int, times: int) -> int:
        """How many iterations have the same inputs and outputs, in number and order."""
        if period == 1:
            return times  # that is so for boxes of one kind
        borders = [self._border(start + period * number, period) for number in range(times)]
        return next((number for number, found in enumerate(borders) if found != borders[0]), times)

    def _border(self, begin: int, period: int) -> tuple[list[int], set[tuple[int, int]]]:
        inside = self._items[begin : begin + period]
        entries: dict[int, int] = {}
        reads = (value for item in inside for value in item.reads if not begin <= self._maker.get(value, -1))
        pattern = [entries.setdefault(value, len(entries)) for value in reads]
        end = begin + period
        return pattern, {(place, which) for place, which, _ in self._readers(begin, period, end)}

    def _equally_read(self, start: int, period: int, times: int) -> int:
        """How many iterations have the same outputs read by the same boxes behind all of them; the last one, when
        something is carried on to it, may have others.  When nothing is, they are branches."""
        if not self._carries(start, period):
            if not self._branches:
                return 1
            readers = [self._readers(begin, period, begin + period) for begin in self._begins(start, period, times)]
            return next((number for number, found in enumerate(readers) if found != readers[0]), times)
        while times > 1:
            end = start + period * times
            readers = [self._readers(begin, period, end) for begin in self._begins(start, period, times)]
            odd = next((number for number, found in enumerate(readers[:-1]) if found != readers[0]), -1)
            if odd == -1:
                # Of two iterations none shows what is usual.
                return times if times > 2 or readers[0] <= readers[-1] else 1
            times = odd + 1
        return times

    def _begins(self, start: int, period: int, times: int) -> range:
        return range(start, start + period * times, period)

    def _carries(self, start: int, period: int) -> bool:
        """Whether the second iteration reads what the first made."""
        second = range(start + period, start + 2 * period)
        return any(
            start <= self._maker.get(value, -1) < second[0] for place in second for value in self._items[place].reads
        )

    def _readers(self, begin: int, period: int, end: int) -> set[tuple[int, int, int]]:
        """Each output of an iteration with each box from `end` on that reads it."""
        return {
            (place - begin, which, reader)
            for place in range(begin, begin + period)
            for value, which in self._items[place].makes.items()
            for reader in self._reading.get(value, ())
            if reader >= end
        }


def _worth(run: Run) -> tuple[int, int]:
    return run.start - run.end, run.period


def _element(path: str, following: str) -> list[str]:
    """Of two paths the part of the first up to where they differ; empty when they do not."""
    names = path.split(".")
    for number, (one, other) in enumerate(zip(names, following.split("."), strict=False)):
        if one != other:
            return names[: number + 1]
    return []


def _upwards(before: Span | None, after: Span | None) -> bool:
    if before is None or after is None or before.path != after.path:
        return False
    return (after.line, after.column) < (before.line, before.column)

"""Which function of the names a size is, as far as its values in several runs tell: one that fits all, and alone.

A size is looked for among simple functions of the sizes it was made from: those of the tensors that the operation took.
So a chain of convolutions is found step by step, and each step has but a few possibilities.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from itertools import combinations, permutations
from typing import Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

from fx_lsp.worker.naming.expressions import Size, name, number

Column = Tuple[int, ...]
"""A size, run by run."""
NEAR = 8
"""Different sizes of one operation that are looked at."""
RECENT = 24
"""Sizes seen before that are looked at for one that no operation explains."""
MAX_FACTORS = 4
"""Sizes in one product."""
MAX_BY = 1024
"""Of a quotient."""
MAX_BLOCK = 16
"""Of a quotient in a product of two."""
MAX_SIDES = 3
"""Sizes that may be the sides of blocks, the last ones."""
MAX_UNKNOWN = 200
"""Sizes that nothing explains, after which nothing far-fetched is tried any more."""
POINTS = 64
"""Sizes at which functions are compared."""


@dataclass
class Table:
    """What is known of the columns of some runs."""

    sizes: Sequence[Dict[str, int]]
    """Per run those of the names."""
    known: Dict[Column, Size] = field(default_factory=dict)
    doubtful: Set[Column] = field(default_factory=set)
    """Several functions fit: more runs would tell."""
    allowed: Sequence[Dict[str, int]] = ()
    """Some sizes that may be, as far as those of the runs tell."""
    unknown: Set[Tuple[Column, Tuple[Column, ...]]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.factors: List[Column] = []
        for one in self.sizes[0]:
            column = tuple(sizes[one] for sizes in self.sizes)
            if len(set(column)) > 1:
                self.known[column] = name(one)
                self.factors.append(column)
        for column in {one for one in self.factors if self.factors.count(one) > 1}:
            del self.known[column]  # nobody knows which of the two is meant
            self.factors = [one for one in self.factors if one != column]

    def learn(self, column: Column, near: Sequence[Sequence[Column]]) -> Optional[Size]:
        """The function that a size is of the names; None where none is found, or where it is none of them.

        `near` are the shapes it was made from.
        """
        if column in self.known:
            return self.known[column]
        if len(set(column)) == 1 or min(column) < 0:
            return None
        close = tuple(dict.fromkeys(one for shape in near for one in shape if len(set(one)) > 1))[:NEAR]
        if (column, close) in self.unknown:
            return None
        for found in self._candidates(column, close, near):
            if not found.large and all(found.at(sizes) == size for sizes, size in zip(self.sizes, column)):
                self.known[column] = found
                self.doubtful.discard(column)
                return found
        self.unknown.add((column, close))
        return None

    def _candidates(self, column: Column, close: Sequence[Column], near: Sequence[Sequence[Column]]) -> Iterator[Size]:
        """The most likely ones first."""
        mine = [one for one in close if one in self.known]
        recent = [one for one in [*self.known][-RECENT:] if one not in mine and one not in self.factors]
        for sources in (mine, self.factors, recent[::-1]):
            for one in sources:
                yield from self._of_one(column, one)
            yield from self._quotients(column, sources)
            yield from self._sums(column, sources)
        yield from self._joined(column, near)
        yield from self._joined(column, near[:-1])  # an operation as it is recorded comes with what it gave
        for shape in near:
            yield from self._products(column, [one for one in shape if one in self.known], len(shape))
        yield from self._products(column, list(dict.fromkeys([*mine, *self.factors]))[:NEAR], MAX_FACTORS)
        if len(self.unknown) < MAX_UNKNOWN:
            yield from self._blocks(column, mine[-MAX_SIDES:])

    def _of_one(self, column: Column, source: Column) -> Iterator[Size]:
        """`n+c`, `2*n+c`, `c-n`."""
        slope = _slope(column, source)
        if slope is not None:
            yield self.known[source].times(slope).plus(column[0] - slope * source[0])

    def _quotients(self, column: Column, sources: Iterable[Column]) -> Iterator[Size]:
        """`(n+c)//s` and `s*((n+c)//s)`, where all runs together leave one possibility."""
        for source in sources:
            found = [
                self.known[source].plus(more).over(by).times(times) for by, more, times in _quotients(column, source)
            ]
            yield from self._alone(column, found)

    def _alone(self, column: Column, found: Sequence[Size]) -> Iterator[Size]:
        """The one of several functions that fit, when they are the same at all sizes that may be."""
        for size in found[:1]:
            if all(one.at(sizes) == size.at(sizes) for one in found[1:] for sizes in self._allowed()):
                yield min(found, key=lambda one: len(str(one)))
            else:
                self.doubtful.add(column)

    def _allowed(self) -> Sequence[Dict[str, int]]:
        if not self.allowed:
            draw = random.Random(0)
            names = list(self.sizes[0])
            steps = {one: math.gcd(*(sizes[one] for sizes in self.sizes)) for one in names}
            self.allowed = [{one: steps[one] * draw.randint(1, 99) for one in names} for _ in range(POINTS)]
        return self.allowed

    def _sums(self, column: Column, sources: Sequence[Column]) -> Iterator[Size]:
        """`n+m+c`, `n-m+c`."""
        for one, two in combinations(sources[:NEAR], 2):
            for sign in (1, -1):
                rest = {size - a - sign * b for size, a, b in zip(column, one, two)}
                if len(rest) == 1:
                    yield (self.known[one] + self.known[two].times(sign)).plus(rest.pop())

    def _joined(self, column: Column, near: Sequence[Sequence[Column]]) -> Iterator[Size]:
        """The sum of the sizes of several tensors at one dim, in all but a constant."""
        ranks = {len(shape) for shape in near}
        for dim in range(ranks.pop() if len(ranks) == 1 and len(near) > 1 else 0):
            columns = [shape[dim] for shape in near]
            rest = {size - sum(values) for size, *values in zip(column, *columns)}
            if len(rest) == 1 and all(one in self.known or len(set(one)) == 1 for one in columns):
                total = number(rest.pop())
                for one in columns:
                    total = total + (self.known[one] if one in self.known else number(one[0]))
                yield total

    def _products(self, column: Column, sources: Sequence[Column], most: int) -> Iterator[Size]:
        """`3*n*m`, `n*m//4`."""
        for count in range(1, min(most, MAX_FACTORS, len(sources)) + 1):
            for chosen in combinations(sources, count):
                values = [math.prod(one) for one in zip(*chosen)]
                if not values[0] or not column[0]:
                    continue
                divisor = math.gcd(values[0], column[0])
                times, by = column[0] // divisor, values[0] // divisor
                if by <= MAX_BY and all(times * value == by * size for value, size in zip(values, column)):
                    made = number(times)
                    for one in chosen:
                        made = made * self.known[one]
                    least, most = _between(column, [times * value for value in values], by)
                    yield from self._alone(column, [made.plus(more).over(by) for more in {0, least, most}])

    def _blocks(self, column: Column, sources: Sequence[Column]) -> Iterator[Size]:
        """`((n+a)//s)*((m+b)//s)`, as `unfold` has it."""
        found: List[Size] = []
        for one, two in permutations(sources, 2):
            for by in range(2, MAX_BLOCK + 1):
                for more in range(-by, by):
                    part = [(size + more) // by for size in one]
                    if min(part) > 0 and len(set(part)) > 2 and all(not size % a for size, a in zip(column, part)):
                        rest = tuple(size // a for size, a in zip(column, part))
                        left = self.known[one].plus(more).over(by)
                        slope = _slope(rest, two)
                        sides = [self.known[two].times(slope).plus(rest[0] - slope * two[0])] if slope else []
                        sides += [self.known[two].plus(c).over(s).times(times) for s, c, times in _quotients(rest, two)]
                        found += [left * side for side in sides]
        yield from self._alone(column, found)


def _slope(column: Column, source: Column) -> Optional[int]:
    """What one more of the source adds, when that is the same everywhere."""
    other = next((run for run in range(1, len(source)) if source[run] != source[0]), 0)
    if not other:
        return None
    slope, left = divmod(column[other] - column[0], source[other] - source[0])
    fits = (
        not left and slope and all(size - column[0] == slope * (one - source[0]) for size, one in zip(column, source))
    )
    return slope if fits else None


def _quotients(column: Column, source: Column) -> Iterator[Tuple[int, int, int]]:
    """Each `(by, more, times)` so that `(source + more) // by * times` is the column."""
    low, high = min(range(len(source)), key=source.__getitem__), max(range(len(source)), key=source.__getitem__)
    rise, grown = source[high] - source[low], column[high] - column[low]
    if grown <= 0 or rise <= 0:
        return
    for by in range(max(2, rise // (grown + 1)), min(rise // max(grown - 1, 1) + 2, MAX_BY) + 1):
        yield from ((by, more, 1) for more in _more(column, source, by))
    divisor = math.gcd(*column)
    for by in range(2, min(divisor, MAX_BY) + 1):
        if divisor % by == 0:
            yield from ((by, more, by) for more in _more(tuple(size // by for size in column), source, by))


def _more(column: Column, source: Column, by: int) -> Iterable[int]:
    """What may be added before the division: the least and the most."""
    least, most = _between(column, source, by)
    return sorted({least, most, *([0] if least < 0 < most else [])}) if least <= most else ()


def _between(column: Sequence[int], source: Sequence[int], by: int) -> Tuple[int, int]:
    least = max(size * by - one for size, one in zip(column, source))
    return least, min(size * by - one + by - 1 for size, one in zip(column, source))

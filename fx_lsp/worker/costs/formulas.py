"""What is computed as a function of the named dims: a product for each operator, and the sums of these."""

from __future__ import annotations

import math
from itertools import combinations, combinations_with_replacement, product
from typing import Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from fx_lsp.worker.costs.shapes import Counted, Place, ShapeObserver
from fx_lsp.worker.naming.expressions import Size, number
from fx_lsp.worker.naming.fitting import Column, Table

MAX_FACTORS = 5
"""Sizes that vary, in one product."""
NEAR = 8
"""Sizes of one operator that are looked at."""
MAX_NUMBERS = 4
"""Sizes that do not vary, which a product is written with."""
MAX_WRITTEN = 300
"""Characters of a formula that somebody would read."""


class Formula(NamedTuple):
    """A sum of products, and the one product that it is in the words of its operator, where it is one."""

    size: Size
    product: str = ""

    def __str__(self) -> str:
        return self.product or self.size.written(powers=True)

    def readable(self) -> str:
        """As text; empty when it is too long, or says no more than the number."""
        text = str(self)
        return text if self.size.names and not self.size.large and len(text) <= MAX_WRITTEN else ""


def of_places(table: Table, runs: Sequence[ShapeObserver]) -> Dict[Place, Optional[Formula]]:
    """For each place that computes something in one of the runs, what it is a function of; None: of nothing known."""
    places = dict.fromkeys(place for run in runs for place in run.places)
    return {place: _of_place(table, [run.places.get(place, []) for run in runs]) for place in places}


def total(parts: Iterable[Optional[Formula]], counted: Column, table: Table) -> Optional[Formula]:
    """The sum, when it is what was counted in each run."""
    found = summed(parts)
    fits = found is not None and all(found.size.at(at) == flops for at, flops in zip(table.sizes, counted))
    return found if fits else None


def summed(parts: Iterable[Optional[Formula]]) -> Optional[Formula]:
    """Of formulas that are all known; equal products stay one."""
    whole, words = number(0), []
    for part in parts:
        if part is None:
            return None
        whole = whole + part.size
        words.append(part.product)
    if not words or not words[0] or len(set(words)) > 1:
        return Formula(whole)
    first, _, rest = words[0].partition("*")
    return Formula(whole, f"{int(first) * len(words)}*{rest}")


def _of_place(table: Table, counted: Sequence[List[Counted]]) -> Optional[Formula]:
    if len({len(one) for one in counted}) == 1:
        found = summed(_product(table, calls) for calls in zip(*counted))
        if found is not None:
            return found
    # Perhaps a loop that takes more steps for larger sizes.
    column = tuple(sum(one.flops for one in calls) for calls in counted)
    size = _proportional(table, column, table.factors)
    return Formula(size) if size is not None else None


def _product(table: Table, calls: Sequence[Counted]) -> Optional[Formula]:
    """Of one operator: the number of its operations is a product of sizes."""
    column = tuple(call.flops for call in calls)
    shapes = list(_columns([(*call.took, *call.gave) for call in calls]))
    varying = [one for one in dict.fromkeys(shapes) if len(set(one)) > 1]
    found = _proportional(table, column, [one for one in varying if one in table.known][:NEAR])
    if found is None:
        return None
    return Formula(found, _in_words(found, sorted(one[0] for one in shapes if len(set(one)) == 1 and one[0] > 1)))


def _columns(rows: Sequence[Sequence[Tuple[int, ...]]]) -> Iterator[Column]:
    """Per dim of each tensor the sizes, run by run."""
    if len({tuple(map(len, row)) for row in rows}) == 1:
        for shapes in zip(*rows):
            yield from zip(*shapes)


def _proportional(table: Table, column: Column, sources: Sequence[Column]) -> Optional[Size]:
    """`c*n*m`, of the fewest sizes."""
    if len(set(column)) == 1:
        return number(column[0])
    for count in range(1, MAX_FACTORS + 1):
        for chosen in combinations_with_replacement(sources, count):
            first = math.prod(one[0] for one in chosen)
            if not first or column[0] % first:
                continue
            times = column[0] // first
            if all(times * math.prod(values) == flops for flops, values in zip(column, zip(*chosen))):
                made = number(times)
                for one in chosen:
                    made = made * table.known[one]
                return made
    return None


def _in_words(size: Size, numbers: List[int]) -> str:
    """`2*B*T*768*2304`: with the sizes that do not vary, where two or four of their products are all there is."""
    if len(size.terms) != 1 or not size.names:
        return ""
    ((names, times),) = size.terms
    for lead, count in product((2, 4), range(MAX_NUMBERS + 1)):
        for chosen in combinations(numbers, count):
            if lead * math.prod(chosen) == times:
                return "*".join([Size(((names, lead),)).written(powers=True), *map(str, chosen)])
    return ""

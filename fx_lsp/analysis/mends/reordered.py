"""Dims put into their order before a view that only counts numbers."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from itertools import combinations, permutations

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._shapes import MAX_DIMS, Shape


def propose(broken: Broken) -> Iterator[Edit]:
    """The rows of a matrix as a whole, then the dims in an order in which those that stay are whole, two changing
    places before all others; else the channels last, where they are taken apart."""
    call, x, wanted = broken.node, broken.call.shape(0), broken.output
    func = call.func if isinstance(call, ast.Call) else None
    if not isinstance(func, ast.Attribute) or x is None or wanted is None or len(x) > MAX_DIMS:
        return
    if len(x) == 2 and isinstance(call, ast.Call):
        yield from _rows_whole(broken, call, x[-1], wanted)
    if len(x) < len(wanted) <= MAX_DIMS and isinstance(call, ast.Call):
        yield from _taken_apart(broken, call, x, wanted)
    orders = [one for one in permutations(range(len(x))) if list(one) != sorted(one)]
    fitting = [one for one in orders if _keeps(tuple(x[dim] for dim in one), wanted)]
    if not fitting and len(x) > 2 and x[1] % max(wanted[-1], 1) == 0:
        fitting = [(0, *range(2, len(x)), 1)]
    for order in sorted(fitting, key=lambda one: sum(place != dim for place, dim in enumerate(one)))[:2]:
        moved = [place for place, dim in enumerate(order) if place != dim]
        numbers = ", ".join(map(str, moved if len(moved) == 2 else order))
        turned = f"{broken.alone(func.value)}.{'transpose' if len(moved) == 2 else 'permute'}({numbers})"
        if tuple(x[dim] for dim in order) == wanted:
            yield from broken.instead(call, (turned,))
        else:
            yield from broken.instead(func, (f"{turned}.reshape",))


def _rows_whole(broken: Broken, call: ast.Call, row: int, wanted: Shape) -> Iterator[Edit]:
    """The numbers of a row together first, and then where they are wanted: `x.view(b, h, w, c).permute(0, 3, 1, 2)`."""
    sizes = [*map(broken.text, call.args)]
    for dim in (dim for dim, size in enumerate(wanted[:-1]) if dim and size == row and len(sizes) == len(wanted)):
        order = [*range(dim), len(wanted) - 1, *range(dim, len(wanted) - 1)]
        first = ", ".join([*sizes[:dim], *sizes[dim + 1 :], sizes[dim]])
        yield from broken.instead(call, (f"{broken.text(call.func)}({first}).permute({', '.join(map(str, order))})",))


def _taken_apart(broken: Broken, call: ast.Call, x: Shape, wanted: Shape) -> Iterator[Edit]:
    """What is one dim taken apart where it is, and then two exchanged: `h.view(b, t, k, d).transpose(1, 2)`."""
    sizes = [*map(broken.text, call.args)]
    for first, second in combinations(range(len(wanted)), 2) if len(sizes) == len(wanted) else ():
        order = [*range(len(wanted))]
        order[first], order[second] = second, first
        if _keeps(tuple(wanted[dim] for dim in order), x):
            apart = f"{broken.text(call.func)}({', '.join(sizes[dim] for dim in order)})"
            yield from broken.instead(call, (f"{apart}.transpose({first}, {second})",))


def _keeps(shape: Shape, wanted: Shape) -> bool:
    """Whether each dim after the view is one of those before it, or all numbers of neighbours."""
    place = 0
    for size in wanted:
        first = place
        while place < len(shape) and math.prod(shape[first:place]) < size:
            place += 1
        if place > first and math.prod(shape[first:place]) != size:
            return False
        if place == first and size != 1:
            return False
    return all(one == 1 for one in shape[place:])


MEND = Mend(frozenset({"view-mixes-dims"}), propose)

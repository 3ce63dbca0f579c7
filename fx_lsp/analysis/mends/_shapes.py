"""Small changes of one tensor, as a suffix, with the sizes that it has then."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TypeVar

T = TypeVar("T")
Shape = tuple[int, ...]
Change = tuple[str, Shape]
MAX_DIMS = 6
"""Of more, nothing is proposed: too many ways."""


def moved(shape: Shape) -> Iterator[Change]:
    """Two dims in each other's place, the last two first; then one brought last, or second."""
    rank = len(shape)
    if not 1 < rank <= MAX_DIMS:
        return
    yield ".transpose(-2, -1)", swapped(shape, rank - 2, rank - 1)
    for one, two in combinations(range(rank), 2):
        if (one, two) != (rank - 2, rank - 1):
            yield f".transpose({one}, {two})", swapped(shape, one, two)
    for one in range(rank - 2):
        yield f".movedim({one}, -1)", (*shape[:one], *shape[one + 1 :], shape[one])
    for one in range(rank - 2):
        yield f".movedim(-1, {one})", (*shape[:one], shape[-1], *shape[one:-1])


def grown(shape: Shape, count: int = 1) -> Iterator[Change]:
    """So many dims of 1 more, each way to place them."""
    rank = len(shape) + count
    if count < 1 or rank > MAX_DIMS:
        return
    ways = list(combinations(range(rank), count))
    for places in ways if count == 1 else reversed(ways):
        sizes = iter(shape)
        new = tuple(1 if place in places else next(sizes) for place in range(rank))
        if count == 1:
            yield f".unsqueeze({-1 if places[0] == rank - 1 else places[0]})", new
        else:
            marks = ["None" if place in places else ":" for place in range(places[-1] + 1)]
            yield f"[{', '.join(marks)}]", new


def shrunk(shape: Shape) -> Iterator[Change]:
    """A dim of 1 less, the last one first; then neighbours flattened into one."""
    rank = len(shape)
    for dim in range(rank - 1, -1, -1):
        if shape[dim] == 1:
            yield f".squeeze({-1 if dim == rank - 1 else dim})", (*shape[:dim], *shape[dim + 1 :])
    for first, last in combinations(range(rank), 2):
        if rank <= MAX_DIMS:
            end = "" if last == rank - 1 else f", {last}"
            # Counted from the end it holds for any number of dims before.
            start = -2 if first == rank - 2 > 1 else first
            yield f".flatten({start}{end})", (*shape[:first], math.prod(shape[first : last + 1]), *shape[last + 1 :])


def broadcast(*shapes: Shape) -> Shape | None:
    """The size of all together; None where they do not fit."""
    rank = max(map(len, shapes), default=0)
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    found: list[int] = []
    for sizes in zip(*padded, strict=True):
        wide = {size for size in sizes if size != 1}
        if len(wide) > 1:
            return None
        found.append(wide.pop() if wide else 1)
    return tuple(found)


def product(left: Shape, right: Shape) -> Shape | None:
    """The size of a matrix product; None where they do not fit."""
    if len(left) == 0 or len(right) == 0:
        return None
    inner = right[-min(len(right), 2)]
    batch = broadcast(left[:-2], right[:-2])
    if left[-1] != inner or batch is None:
        return None
    return (*batch, *left[-2:-1], *(right[-1:] if len(right) > 1 else ()))


def neighbours_swapped(parts: Sequence[T], place: int) -> list[T]:
    """The one at a place and the next one in each other's place."""
    return [*parts[:place], parts[place + 1], parts[place], *parts[place + 2 :]]


def swapped(shape: Shape, one: int, two: int) -> Shape:
    """Two dims in each other's place."""
    sizes = list(shape)
    sizes[one], sizes[two] = sizes[two], sizes[one]
    return tuple(sizes)

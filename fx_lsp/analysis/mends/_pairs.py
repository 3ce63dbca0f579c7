"""Operands that ought to have equal sizes, each with each other, and the dims in which they do not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import permutations

from fx_lsp.analysis.causes.loss_sizes import weighed
from fx_lsp.analysis.causes.matmul_sizes import PLACES
from fx_lsp.analysis.mends._bound import held
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._shapes import Shape
from fx_lsp.model.value import Group, TensorType

Written = tuple[ast.expr | None, Shape]
"""A tensor, and what is written for it."""
Pair = tuple[Written, Written, list[tuple[int, int]]]
"""Two of them, and the dims of both, from the last, that differ."""


def pairs(broken: Broken) -> Iterator[Pair]:
    """Both ways round."""
    if broken.cause == "matmul-sizes":
        left, right = (_written(broken, number) for number in PLACES.get(broken.call.target, (0, 1)))
        if left[1] and len(right[1]) > 1 and left[1][-1] != right[1][-2]:
            yield left, right, [(-1, -2)]
            yield right, left, [(-2, -1)]
        return
    if broken.cause == "einsum-sizes":
        yield from _lettered(broken)
        return
    if broken.cause == "loss-sizes" and (found := weighed(broken.call)) is not None:
        x, weights = _written(broken, 0), next(one for one in _all(broken) if one[1] == found.weight.shape)
        yield x, weights, [(found.dim, -1)]
        yield weights, x, [(-1, found.dim)]
        return
    given = _joined(broken) if broken.cause == "cat-sizes" else _all(broken)
    along = broken.call.plain(1, "dim", "axis") or 0 if broken.call.target in ("cat", "concat", "concatenate") else None
    for one, other in permutations(given, 2):
        rank = min(len(one[1]), len(other[1]))
        free = along % rank - rank if isinstance(along, int) and rank else 0
        differ = [dim for dim in range(-1, -rank - 1, -1) if one[1][dim] != other[1][dim] and dim != free]
        # A dim of 1 is no bug where it is broadcast.
        if broken.cause == "broadcast-sizes":
            differ = [dim for dim in differ if 1 not in (one[1][dim], other[1][dim])]
        yield one, other, [(dim, dim) for dim in differ]


def _lettered(broken: Broken) -> Iterator[Pair]:
    """Operands of an equation, by the letters that stand for two sizes."""
    equation = broken.call.plain(0, "equation")
    terms = equation.replace(" ", "").partition("->")[0].split(",") if isinstance(equation, str) else []
    given = [(term, *_written(broken, number)) for number, term in enumerate(terms, 1)]
    for (term, node, shape), (other, there, wanted) in permutations(given, 2):
        if len(term) != len(shape) or len(other) != len(wanted) or "." in term + other:
            continue
        found = [(dim - len(term), other.index(letter) - len(other)) for dim, letter in enumerate(term)
                 if letter in other and shape[dim] != wanted[other.index(letter)]]  # fmt: skip
        yield (node, shape), (there, wanted), found


def _all(broken: Broken) -> list[Written]:
    keys = [*range(len(broken.call.operands)), *broken.call.named]
    return [one for one in (_written(broken, key) for key in keys) if one[1]]


def _joined(broken: Broken) -> list[Written]:
    place, given = broken.place(0, "tensors"), broken.call.operand(0, "tensors")
    items = given.value.items if given is not None and isinstance(given.value, Group) else ()
    nodes = held(broken.source, place, len(items))
    both = zip(nodes, items, strict=True) if nodes else ()
    return [(node, one.shape) for node, one in both if isinstance(one, TensorType) and one.shape]


def _written(broken: Broken, key: int | str) -> Written:
    if isinstance(key, str):
        return broken.place(-1, key), broken.call.shape(len(broken.call.operands), key) or ()
    return broken.place(key), broken.call.shape(key) or ()

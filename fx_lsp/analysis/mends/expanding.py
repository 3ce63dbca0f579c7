"""Expanding what is not 1: dims of 1 where they belong, or a size left as it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.expand_sizes import COPIES, wanted
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._places import listed
from fx_lsp.analysis.mends._shapes import Shape, grown, moved, neighbours_swapped, shrunk


def propose(broken: Broken) -> Iterator[Edit]:
    """Each change of the tensor with which it fits; then of one size."""
    shape, sizes = broken.call.shape(0, "input"), wanted(broken.call)
    if shape is None or not sizes:
        return
    x = broken.place(0, "input")
    if len(sizes) < len(shape):
        yield from _more(broken, shape, sizes)
        return
    nodes = listed(broken, "size", "sizes")
    yield from _swapped(broken, shape, sizes, nodes)
    for changes in (grown(shape, max(len(sizes) - len(shape), 1)), grown(shape), moved(shape)):
        yield from broken.after(x, (suffix for suffix, new in changes if _fit(new, sizes)))
    for number, node in enumerate(nodes) if len(nodes) == len(sizes) else ():
        if _fit(shape, [*sizes[:number], -1, *sizes[number + 1 :]]):
            yield from broken.instead(node, ("-1",))
    yield from _placed(broken, shape, sizes)
    squeezed = (suffix for suffix, new in shrunk(shape) if "squeeze" in suffix and _fit(new, sizes))
    yield from broken.after(x, squeezed)
    yield from _left_out(broken, shape, sizes)


def _left_out(broken: Broken, shape: Shape, sizes: list[int]) -> Iterator[Edit]:
    """Not expanded where the size of what it meets is 1: sums and products expand both."""
    both = len(shape) == len(sizes) and all(1 in pair or pair[0] == pair[1] for pair in zip(shape, sizes, strict=True))
    func = broken.node.func if isinstance(broken.node, ast.Call) else None
    if both and isinstance(func, ast.Attribute) and broken.place(0, "input") is func.value:
        yield from broken.instead(broken.node, (broken.text(func.value),))


def _swapped(broken: Broken, shape: Shape, sizes: list[int], nodes: list[ast.expr]) -> Iterator[Edit]:
    """What is kept as it is stands where its neighbour belongs: `expand(-1, 2)` for `expand(2, -1)`."""
    for place, (one, other) in enumerate(pairwise(nodes) if len(nodes) == len(sizes) else ()):
        new = neighbours_swapped(sizes, place)
        if -1 in sizes[place : place + 2] and _fit(shape, new):
            texts = broken.text(other), broken.text(one)
            changes = zip(map(broken.source.span, (one, other)), texts, strict=True)
            yield Edit(f"Swap `{texts[1]}` and `{texts[0]}`", broken.source.path, tuple(changes))


def _placed(broken: Broken, shape: Shape, sizes: list[int]) -> Iterator[Edit]:
    """A dim more that the last size has no place for: `expand(n, -1, -1)` for `expand(n, -1)`."""
    nodes, rest = listed(broken, "size", "sizes"), sizes[1:]
    if len(nodes) == len(sizes) == len(shape) > 1 and set(rest) == {-1} and sizes[0] > 0:
        yield from broken.instead(nodes[-1], (f"{broken.text(nodes[-1])}, -1",))


def _more(broken: Broken, shape: Shape, sizes: list[int]) -> Iterator[Edit]:
    """Each dim that was left out kept as it is."""
    nodes, copied = listed(broken, "size", "sizes", "repeats"), broken.call.target in COPIES
    if len(shape) != len(sizes) + 1 or len(nodes) != len(sizes):
        return
    kept = "1" if copied else "-1"
    for place in range(len(sizes) + 1):
        if copied or _fit(shape, [*sizes[:place], -1, *sizes[place:]]):
            texts = [broken.text(node) for node in nodes]
            number, text = (place, f"{kept}, {texts[place]}") if place < len(nodes) else (-1, f"{texts[-1]}, {kept}")
            yield from broken.instead(nodes[number], (text,))


def _fit(shape: Shape, sizes: list[int]) -> bool:
    if len(sizes) < len(shape) or -1 in sizes[: len(sizes) - len(shape)]:
        return False
    return all(has == 1 or wanted in (-1, has) for has, wanted in zip(shape[::-1], sizes[::-1], strict=False))


MEND = Mend(frozenset({"expand-sizes"}), propose)

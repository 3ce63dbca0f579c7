"""Anything that fails, by what led there: one small change of one expression, whichever it is.

What people write wrongly is small: a step too much or too few, a number, an order, an end of a slice.  It may be
anywhere on the way, so each expression there is changed in each of these ways, those first that stand near and that
fit the values which the run showed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import zip_longest

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import assigned, layer_called
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._changes import changes, reshaped, retyped
from fx_lsp.analysis.mends._number_changes import FACTORS, Change, Weighed
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.source import Source

FAR = 0.1
"""What each line between counts, beside the ways to change one, which count from 1 on."""
TURN = 0.06
"""What each likelier change of the same expression counts: others have their turn."""
OTHERWISE = 0.6
"""What a change counts that the sizes do not speak for."""
_RANKS = frozenset({"dim-range", "index-range", "unpack-dims", "none-given", "tensor-expected"})
"""Causes that are about the number of dims or of results."""
_TYPES = frozenset({"bitwise-floats", "bool-arithmetic", "embedding-ids", "index-dtype", "loss-dtypes", "mask-dtype",
                    "mixed-dtypes", "whole-numbers"})  # fmt: skip
"""Causes that are about types and not about sizes."""


def propose(broken: Broken) -> Iterator[Edit]:
    """The likeliest first."""
    apart = _apart(broken)
    likely = _likely(broken, apart)
    found: list[tuple[float, Source, Change]] = []
    for far, source, node in _sites(broken):
        here = [(cost + OTHERWISE * bool(kind and kind not in likely), change)
                for cost, kind, change in _of(broken, source, node, apart)]  # fmt: skip
        for turn, (cost, change) in enumerate(sorted(here, key=lambda one: one[0])):
            found.append((cost + FAR * far + TURN * turn, source, change))
    for _, source, (node, text) in sorted(found, key=lambda one: one[0]):
        yield Edit(f"Use {_text.title(text)}, line {node.lineno}", source.path, _text.instead(source, node, text))


def _sites(broken: Broken) -> Iterator[tuple[int, Source, ast.expr]]:
    """The expressions that led there and those that its operands come from, with what makes the layers that they
    call; how far each is, in lines that lie between."""
    back = [(step.source, step.node) for step in path(broken)]
    led = [(source, node) for source, node in broken.places if isinstance(node, ast.expr)]
    seen, lines = set[int](), dict[tuple[str, int], int]()
    for pair in zip_longest(back, led):
        for source, node in (one for one in pair if one is not None):
            layer = layer_called(source, node.func) if isinstance(node, ast.Call) else None
            made = assigned(source, node, layer) if layer is not None else []
            for one in (node, *made):
                if id(one) not in seen:
                    seen.add(id(one))
                    yield lines.setdefault((source.path, one.lineno), len(lines)), source, one


def _of(broken: Broken, source: Source, node: ast.expr, apart: tuple[set[int], set[int]]) -> Weighed:
    value = broken.seen.value(source, node)
    if broken.cause in _TYPES:
        yield from retyped(source, node, value)
        return
    yield from reshaped(source, node, value)
    yield from changes(source, node, broken.seen, apart, broken.node)


def _likely(broken: Broken, apart: tuple[set[int], set[int]]) -> set[str]:
    """What may be to change, by the sizes of what failed: see `Weighed`."""
    shapes = [one.shape for one in (*broken.call.operands, *broken.call.named.values()) if one.shape is not None]
    differences, times = apart
    kinds = {"times"} if times & FACTORS else set[str]()
    kinds |= {"one"} if 1 in differences else set()
    if len(shapes) < 2 or broken.cause in _RANKS:
        return {*kinds, "order", "rank"}
    same = len({len(shape) for shape in shapes}) == 1
    kinds |= {"order"} if not same or len({tuple(sorted(shape)) for shape in shapes}) == 1 else set()
    ones = any(1 in shape for shape in shapes)
    return kinds | ({"rank"} if not same or ones else set()) or {"order", "rank"}


def _apart(broken: Broken) -> tuple[set[int], set[int]]:
    """By how much the sizes of what failed differ, and how many times one is the other."""
    operands = (*broken.call.operands, *broken.call.named.values())
    sizes = {size for one in operands for size in one.shape or ()}
    sizes |= {one for one in (*(one.plain for one in operands), *broken.call.settings.values()) if type(one) is int}
    pairs = [(one, other) for one in sizes for other in sizes if one > other > 0]
    return {one - other for one, other in pairs}, {one // other for one, other in pairs if one % other == 0}


MEND = Mend(
    frozenset({"assigned-sizes", "attention-sizes", "axes-pattern", "broadcast-sizes", "cat-sizes", "conv-channels",
               "conv-dims", "conv-kernel", "dim-range", "divided-dims", "einsum-sizes", "expand-sizes", "grid-sizes",
               "index-mask", "index-range", "index-tensor", "layer-numbers", "linear-features", "loss-sizes",
               "matmul-sizes", "none-given", "norm-features", "packed-lengths", "recurrent-features",
               "recurrent-state", "resize-sizes", "size-not-whole", "split-sizes", "tensor-expected",
               "unflatten-sizes", "unpack-dims", "view-elements", *_TYPES}),
    propose,
    rest=True,
)  # fmt: skip

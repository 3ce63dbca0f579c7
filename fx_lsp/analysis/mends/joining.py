"""Tensors joined along the wrong dim, or of which one is turned or lacks a dim."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._shapes import Shape, grown, moved, shrunk
from fx_lsp.model.value import Group, TensorType


def propose(broken: Broken) -> Iterator[Edit]:
    """Another dim along which they fit; then each change of one of them with which they do."""
    given, place = broken.call.operand(0, "tensors"), broken.place(0, "tensors")
    items = given.value.items if given is not None and isinstance(given.value, Group) else ()
    shapes = [one.shape for one in items if isinstance(one, TensorType)]
    dim = broken.call.plain(1, "dim", "axis")
    dim, stacked = dim if isinstance(dim, int) else 0, broken.call.target == "stack"
    if not shapes or len(shapes) != len(items):
        return
    along = [one for one in range(len(shapes[0])) if not stacked and one != dim and _fit(shapes, one, stacked)]
    texts = ["-1" if one == len(shapes[0]) - 1 else str(one) for one in along]
    written = broken.place(1, "dim", "axis")
    if written is not None:
        yield from broken.instead(written, texts)
    elif isinstance(broken.node, ast.Call) and place is not None:
        yield from broken.instead(place, (f"{broken.text(place)}, dim={text}" for text in texts))
    nodes = place.elts if isinstance(place, ast.List | ast.Tuple) and len(place.elts) == len(shapes) else []
    for number, node in sorted(enumerate(nodes), key=lambda one: len(shapes[one[0]]) > min(map(len, shapes))):
        if isinstance(node, ast.Starred):
            return
        shape = shapes[number]
        ways = [*grown(shape), *moved(shape), *shrunk(shape)]
        fitting = (way for way, new in ways if _fit([*shapes[:number], new, *shapes[number + 1 :]], dim, stacked))
        yield from broken.after(node, fitting)
    if stacked and isinstance(broken.node, ast.Call) and _fit(shapes, dim, False):
        name = broken.text(broken.node.func)
        yield from broken.instead(broken.node.func, (f"{name.removesuffix('stack')}cat",))


def _fit(shapes: list[Shape], dim: int, stacked: bool) -> bool:
    rank = len(shapes[0])
    if any(len(shape) != rank for shape in shapes) or (not stacked and not -rank <= dim < rank):
        return False
    rest = [tuple(s for d, s in enumerate(shape) if stacked or d != dim % rank) for shape in shapes]
    return all(one == other for one, other in pairwise(rest))


MEND = Mend(frozenset({"cat-sizes"}), propose)

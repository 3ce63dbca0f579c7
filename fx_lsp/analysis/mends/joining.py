"""Tensors joined along the wrong dim, or of which one is turned or lacks a dim."""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._bound import held
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._imports import imported
from fx_lsp.analysis.mends._shapes import Change, Shape, grown, moved, shrunk
from fx_lsp.analysis.mends._statements import statement_of
from fx_lsp.analysis.source import walk
from fx_lsp.model.value import Group, TensorType

_PAIR = 2
_SEQUENCE = 3
"""Dims of a batch of them."""


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
        yield from _all_of(broken, broken.node, texts)
        yield from broken.instead(place, (f"{broken.text(place)}, dim={text}" for text in texts))
    nodes = held(broken.source, place, len(shapes))
    usual = Counter(shapes).most_common(1)[0][0]
    # One that is unlike all others is likely to be wrong; else what has fewer dims.
    odd = {number for number, shape in enumerate(shapes) if shape != usual} if len(shapes) > _PAIR else set[int]()
    least = min(map(len, shapes))
    for number, node in sorted(enumerate(nodes), key=lambda one: (one[0] not in odd, len(shapes[one[0]]) > least)):
        shape = shapes[number]
        ways = [*_last(shape, shapes), *_pooled(shape, shapes), *grown(shape), *moved(shape), *shrunk(shape)]
        fitting = (way for way, new in ways if _fit([*shapes[:number], new, *shapes[number + 1 :]], dim, stacked))
        yield from broken.after(node, fitting)
        yield from () if stacked else _spread(broken, nodes, shapes, number, dim)
    yield from _resized(broken, place, shapes, dim, stacked)
    if stacked and isinstance(broken.node, ast.Call) and _fit(shapes, dim, False):
        name = broken.text(broken.node.func)
        yield from broken.instead(broken.node.func, (f"{name.removesuffix('stack')}cat",))


def _all_of(broken: Broken, node: ast.Call, dims: list[str]) -> Iterator[Edit]:
    """A dim for each of several calls in one statement that have none."""
    statement = statement_of(broken.source, node)
    inside = [one for one in (walk(statement) if statement is not None else ()) if isinstance(one, ast.Call)]
    alike = [one.args[0] for one in inside if ast.unparse(one.func) == ast.unparse(node.func)
             and len(one.args) == 1 and not one.keywords]  # fmt: skip
    for dim in dims if len(alike) > 1 else ():
        changes = tuple((broken.source.span(one), f"{broken.text(one)}, dim={dim}") for one in alike)
        yield Edit(f"Join all along dim {dim}", broken.source.path, changes)


def _last(shape: Shape, shapes: list[Shape]) -> Iterator[Change]:
    """The last layer of a state, where it has one dim more than all others."""
    rank = len(shape) - 1
    if rank > 0 and shape[0] > 0 and all(len(other) == rank for other in shapes if other is not shape):
        yield "[-1]", shape[1:]


def _pooled(shape: Shape, shapes: list[Shape]) -> Iterator[Change]:
    """The mean of a sequence, or its first, where all others are one vector for each of the batch."""
    others = [other for other in shapes if other is not shape]
    if (
        len(shape) == _SEQUENCE
        and shape[1] > 1
        and others
        and all(other[:1] == shape[:1] and len(other) == 2 for other in others)
    ):
        left = (shape[0], shape[2])
        yield from ((".mean(dim=1)", left), ("[:, 0]", left))


def _spread(broken: Broken, nodes: list[ast.expr], shapes: list[Shape], number: int, dim: int) -> Iterator[Edit]:
    """As long as another one where it has 1; resized to it where they differ in space only."""
    shape, node, rank = shapes[number], nodes[number], len(shapes[number])
    yield from _apart(broken, nodes, shapes, number)
    along = dim % rank if rank and -rank <= dim < rank else -1
    for other, there in zip(shapes, nodes, strict=True):
        inner = _inner(there)
        if len(other) != rank or there is node or not isinstance(inner, ast.Name):
            continue
        differ = [one for one in range(rank) if one != along and shape[one] != other[one]]
        if differ and all(shape[one] == 1 for one in differ):
            sizes = ", ".join(f"{inner.id}.size({one})" if one in differ else "-1" for one in range(rank))
            yield from broken.after(node, (f".expand({sizes})",))
        functional = imported(broken.source, "torch.nn.functional")
        # Of three dims the last one is space only where something goes along it: it is features elsewhere.
        maps = rank in (4, 5) or (rank == 3 and "Conv1d" in broken.source.text)
        if functional and isinstance(there, ast.Name) and along == 1 and maps and differ and min(differ) > 1:
            text = f"{functional}.interpolate({broken.text(node)}, size={there.id}.shape[2:])"
            yield from broken.instead(node, (text,))


def _resized(broken: Broken, place: ast.expr | None, shapes: list[Shape], dim: int, stacked: bool) -> Iterator[Edit]:
    """All of a list as large as its first one, where they differ in space only."""
    ranks, functional = {len(one) for one in shapes}, imported(broken.source, "torch.nn.functional")
    alike = len({one[:1] if not stacked else one[:2] for one in shapes}) == 1
    wanted = bool(ranks & {3, 4, 5}) and len(ranks) == 1 and (stacked or dim in (1, 1 - max(ranks)))
    if isinstance(place, ast.Name | ast.Subscript | ast.Attribute) and functional and alike and wanted:
        each = broken.text(place)
        text = f"[{functional}.interpolate(one, size={each}[0].shape[2:]) for one in {each}]"
        yield from broken.instead(place, (text,))


def _apart(broken: Broken, nodes: list[ast.expr], shapes: list[Shape], number: int) -> Iterator[Edit]:
    """With the first dims of another one, which are one dim here."""
    shape = shapes[number]
    for other, there in zip(shapes, nodes, strict=True):
        inner = _inner(there)
        count = len(other) - len(shape) + 1
        if isinstance(inner, ast.Name) and count > 1 and shape and shape[0] == math.prod(other[:count]):
            yield from broken.after(nodes[number], (f".unflatten(0, {inner.id}.shape[:{count}])",))


def _inner(node: ast.expr) -> ast.expr:
    """What a layer is given, which has the dims of what it makes but for the features; anything else as it is."""
    return node.args[0] if isinstance(node, ast.Call) and len(node.args) == 1 else node


def _fit(shapes: list[Shape], dim: int, stacked: bool) -> bool:
    rank = len(shapes[0])
    if any(len(shape) != rank for shape in shapes) or (not stacked and not -rank <= dim < rank):
        return False
    rest = [tuple(s for d, s in enumerate(shape) if stacked or d != dim % rank) for shape in shapes]
    return all(one == other for one, other in pairwise(rest))


MEND = Mend(frozenset({"cat-sizes"}), propose)

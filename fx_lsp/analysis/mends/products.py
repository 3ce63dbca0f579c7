"""A matrix product of what does not fit: one of them turned, with one dim more, or both in each other's place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.matmul_sizes import PLACES, RANKS
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._shapes import Shape, grown, moved, product, shrunk


def propose(broken: Broken) -> Iterator[Edit]:
    """Each change of one side with which they fit."""
    target = broken.call.target
    first, second = PLACES.get(target, (0, 1))
    left, right = broken.call.shape(first), broken.call.shape(second)
    a, b = broken.place(first), broken.place(second)
    if left is None or right is None:
        return
    if not left or not right:
        if target == "matmul" and a is not None and b is not None:
            yield from broken.instead(broken.node, (f"{broken.alone(a)} * {broken.alone(b)}",))
        return
    if target in ("mm", "spmm", "bmm") and product(left, right) is not None and isinstance(broken.node, ast.Call):
        head, dot, _ = broken.text(broken.node.func).rpartition(".")
        yield from broken.instead(broken.node.func, (f"{head}.matmul",) if dot else ())
    turned = [".transpose(-2, -1)"]
    yield from broken.after(b, (way for way, new in moved(right) if way in turned and _fit(target, left, new)))
    yield from broken.after(a, (way for way, new in moved(left) if way in turned and _fit(target, new, right)))
    if _fit(target, right, left) and a is not None and b is not None:
        changes = (broken.source.span(a), broken.alone(b)), (broken.source.span(b), broken.alone(a))
        yield Edit("Swap the two sides", broken.source.path, changes)
    for changes in (moved, grown, shrunk):
        yield from broken.after(b, (way for way, new in changes(right) if _fit(target, left, new)))
        yield from broken.after(a, (way for way, new in changes(left) if _fit(target, new, right)))


def _fit(target: str, left: Shape, right: Shape) -> bool:
    rank = RANKS.get(target)
    if rank is not None and (len(left) != rank or len(right) != rank or left[:-2] != right[:-2]):
        return False
    return product(left, right) is not None


MEND = Mend(frozenset({"matmul-sizes"}), propose)

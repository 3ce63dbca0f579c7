"""A matrix product of what does not fit: one of them turned, with one dim more, or both in each other's place."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.matmul_sizes import PLACES, RANKS
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.mends._shapes import Shape, grown, moved, product, shrunk, swapped


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
    yield from _of_rows(broken, left, right, a, b) if target == "bmm" else ()
    if target in ("mm", "bmm") and product(left, right) is not None and isinstance(broken.node, ast.Call):
        head, dot, _ = broken.text(broken.node.func).rpartition(".")
        yield from broken.instead(broken.node.func, (f"{head}.matmul",) if dot else ())
    yield from _other_dims(broken, b, right, lambda new: _fit(target, left, new))
    yield from _other_dims(broken, a, left, lambda new: _fit(target, new, right))
    turned = [".transpose(-2, -1)"]
    yield from broken.after(b, (way for way, new in moved(right) if way in turned and _fit(target, left, new)))
    yield from broken.after(a, (way for way, new in moved(left) if way in turned and _fit(target, new, right)))
    if _fit(target, right, left) and a is not None and b is not None:
        changes = (broken.source.span(a), broken.alone(b)), (broken.source.span(b), broken.alone(a))
        yield Edit("Swap the two sides", broken.source.path, changes)
    yield from _inside(broken, b, right, lambda new: _fit(target, left, new))
    yield from _inside(broken, a, left, lambda new: _fit(target, new, right))
    yield from _squared(broken, b, right, left[-1])
    yield from _squared(broken, a, left, right[-min(len(right), 2)])
    for changes in (moved, grown, shrunk):
        yield from broken.after(b, (way for way, new in changes(right) if _fit(target, left, new)))
        yield from broken.after(a, (way for way, new in changes(left) if _fit(target, new, right)))


def _of_rows(broken: Broken, left: Shape, right: Shape, a: ast.expr | None, b: ast.expr | None) -> Iterator[Edit]:
    """A row for each matrix of a batch, on one side of it: one row or column there, taken away again afterwards."""
    node = broken.node
    if not isinstance(node, ast.Call) or a is None or b is None or node.args != [a, b]:
        return
    head = broken.text(node.func)
    if len(right) == 3 and left == right[:2]:
        yield from broken.instead(node, (f"{head}({broken.alone(a)}.unsqueeze(1), {broken.text(b)}).squeeze(1)",))
    if len(left) == 3 and right == (left[0], left[2]):
        yield from broken.instead(node, (f"{head}({broken.text(a)}, {broken.alone(b)}.unsqueeze(-1)).squeeze(-1)",))


def _other_dims(broken: Broken, node: ast.expr | None, shape: Shape, fits: Callable[[Shape], bool]) -> Iterator[Edit]:
    """The last two dims of what is turned by other ones: `k.transpose(-2, -1)` for `k.transpose(1, 2)`."""
    if not isinstance(node, ast.Call) or called(node) not in ("transpose", "swapaxes") or len(node.args) != 2:
        return
    dims = [dim for one in node.args if (dim := number(one)) is not None and -len(shape) <= dim < len(shape)]
    if len(dims) == 2 and isinstance(node.func, ast.Attribute):
        before = swapped(shape, dims[0] % len(shape), dims[1] % len(shape))
        if fits(swapped(before, len(shape) - 2, len(shape) - 1)):
            yield from broken.instead(node, (f"{broken.text(node.func)}(-2, -1)",))


def _squared(broken: Broken, node: ast.expr | None, shape: Shape, size: int) -> Iterator[Edit]:
    """A matrix in each row: 9 numbers as 3 by 3."""
    if shape[-1] == size * size and size > 1:
        yield from broken.after(node, (f".unflatten(-1, ({size}, {size}))",))


def _inside(broken: Broken, node: ast.expr | None, shape: Shape, fits: Callable[[Shape], bool]) -> Iterator[Edit]:
    """What is turned already, turned once more before: `k.transpose(1, 2)` in `q @ k.transpose(-2, -1)`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "transpose":
        return
    dims = [number(one) for one in node.args]
    one, two = (dims[0], dims[1]) if len(dims) == 2 else (None, None)
    if one is None or two is None or not all(-len(shape) <= dim < len(shape) for dim in (one, two)):
        return
    before = swapped(shape, one % len(shape), two % len(shape))
    for way, new in moved(before):
        if new[0] == before[0] and fits(swapped(new, one % len(shape), two % len(shape))):
            yield from broken.after(node.func.value, (way,))


def _fit(target: str, left: Shape, right: Shape) -> bool:
    rank = RANKS.get(target)
    if rank is not None and (len(left) != rank or len(right) != rank or left[:-2] != right[:-2]):
        return False
    return product(left, right) is not None


MEND = Mend(frozenset({"matmul-sizes"}), propose)

"""An index of floats: whole numbers, or a mask of bools; a mask of other sizes: at the dims whose sizes it has."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.mends._shapes import Shape, moved, shrunk
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.mends.dtypes import uncast
from fx_lsp.analysis.mends.whole import divided
from fx_lsp.analysis.source import walk
from fx_lsp.model.value import Group, TensorType, Value


def propose(broken: Broken) -> Iterator[Edit]:
    """Each part of floats; a mask has the sizes of what it chooses from."""
    node = broken.node
    x, index = broken.call.operand(0), broken.call.operand(1)
    if not isinstance(node, ast.Subscript) or x is None or x.shape is None or index is None:
        return
    if broken.cause == "index-mask":
        yield from _placed(broken, node.slice, index.shape, x.shape)
        return
    if isinstance(index.value, Group) and not isinstance(node.slice, ast.Tuple):
        yield from _put_together(broken, index.value)
        return
    values = index.value.items if isinstance(index.value, Group) else (index.value,)
    nodes = node.slice.elts if isinstance(index.value, Group) and isinstance(node.slice, ast.Tuple) else [node.slice]
    for value, part in zip(values, nodes, strict=False):
        if isinstance(value, TensorType) and _floats(value):
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div):
                yield from broken.instead(part, (divided(broken.source, part),))
            yield from uncast(broken, part, "i64")
            mask = value.shape == x.shape[: len(value.shape)]
            yield from broken.after(part, (".bool()", ".long()") if mask else (".long()",))


def _put_together(broken: Broken, index: Group) -> Iterator[Edit]:
    """Each part of floats where the index is put together: `return (image.long(), row, column), boxes`."""
    for step in path(replace(broken, written={"0": broken.written["1"]})):
        whole = step.node
        nodes = whole.elts if isinstance(whole, ast.Tuple | ast.List) and len(whole.elts) == len(index.items) else []
        for value, part in zip(index.items, nodes, strict=False):
            if _floats(value) and not isinstance(part, ast.Tuple):
                yield _text.suffixed(step.source, part, ".long()")


def _floats(value: Value) -> bool:
    return isinstance(value, TensorType) and value.dtype.startswith(("f", "bf"))


def _placed(broken: Broken, mask: ast.expr, shape: Shape | None, sizes: Shape) -> Iterator[Edit]:
    """A mask that is all of the index: after other dims, turned, without a dim of 1, or cut."""
    if not shape:
        return
    for first in range(1, len(sizes) - len(shape) + 1):
        if sizes[first : first + len(shape)] == shape:
            yield from broken.instead(mask, (", ".join([*[":"] * first, broken.text(mask)]),))
    ways = [*moved(shape), *shrunk(shape)]
    yield from broken.after(mask, (suffix for suffix, new in ways if sizes[: len(new)] == new))
    if len(shape) == 1 and shape[0] > sizes[0]:
        yield from broken.after(mask, (f"[:{sizes[0]}]",))
    yield from broken.instead(mask, _made_of(broken, mask))


def _made_of(broken: Broken, mask: ast.expr) -> Iterator[str]:
    """Variables that the function, or the file, makes of the mask before: `keep = mask[:, 1:]`."""
    around = innermost(broken.source, mask) or broken.source.tree
    inside = walk(around) if around is not None else ()
    for one in (one for one in inside if isinstance(one, ast.Assign) and one.lineno < mask.lineno):
        names = {part.id for part in walk(one.value) if isinstance(part, ast.Name)}
        if isinstance(one.targets[0], ast.Name) and getattr(mask, "id", "") in names - {one.targets[0].id}:
            yield one.targets[0].id


MEND = Mend(frozenset({"index-dtype", "index-mask"}), propose)

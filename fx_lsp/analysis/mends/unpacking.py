"""Sizes unpacked into another number of names: the rest in one name, or a dim of 1 more before."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken


def propose(broken: Broken) -> Iterator[Edit]:
    """By which of them is more."""
    shape, names = broken.call.shape(0), broken.call.plain(1)
    found = assignment(broken)
    if broken.call.target == "parts" or shape is None or not isinstance(names, int) or found is None:
        return
    statement, target = found
    if names < len(shape):
        yield from _squeezed(broken, statement, shape, names)
        texts = [broken.text(one) for one in target.elts]
        missing = len(shape) - names
        blanks = ["_"] * missing if missing < 3 else ["*_"]
        # Of `b, n, h = *x.shape, heads` the last ones are no sizes.
        for place in (names, 1, 0):
            yield from broken.instead(target, (", ".join([*texts[:place], *blanks, *texts[place:]]),))
        return
    x = _name(broken, statement)
    if not x or names != len(shape) + 1:
        return
    for dim in (0, 1, -1):
        yield broken.inserted(statement, f"{x} = {x}.unsqueeze({dim})")


def _squeezed(broken: Broken, statement: ast.Assign, shape: tuple[int, ...], names: int) -> Iterator[Edit]:
    """Without a dim of 1, which a reduction with `keepdim` leaves behind; not without the batch."""
    x = _name(broken, statement)
    for dim in range(len(shape) - 1, 0, -1) if x and names == len(shape) - 1 else ():
        if shape[dim] == 1:
            yield broken.inserted(statement, f"{x} = {x}.squeeze({-1 if dim == len(shape) - 1 else dim})")


def _name(broken: Broken, statement: ast.Assign) -> str:
    """The tensor's name, where a statement may stand before this one."""
    x = broken.call.operands[0].text.strip("`") if broken.call.operands else ""
    line = columns(broken.source.text).lines[statement.lineno - 1]
    return x if x.isidentifier() and not line.encode()[: statement.col_offset].strip() else ""


def assignment(broken: Broken) -> tuple[ast.Assign, ast.Tuple | ast.List] | None:
    """The statement, wherever in it the failure is."""
    for node in broken.source.every(ast.Assign):
        target = node.targets[0]
        if isinstance(target, ast.Tuple | ast.List) and broken.node in (target, node.value):
            return node, target
    return None


MEND = Mend(frozenset({"unpack-dims"}), propose)

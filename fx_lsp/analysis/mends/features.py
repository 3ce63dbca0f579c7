"""A linear or recurrent layer for other features: made for what it gets, or given another dim last."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.linear_features import second
from fx_lsp.analysis.causes.recurrent_features import unpacked
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._related import related
from fx_lsp.analysis.mends._shapes import grown, moved, shrunk

_SIZES = ("in_features", "input_size", "embed_dim")


def propose(broken: Broken) -> Iterator[Edit]:
    """What brings the features last; then the layer."""
    call, x = broken.call, broken.place(0, "input", "query")
    if call.target == "Bilinear":
        found = second(call)
        yield from broken.sized(found[0], found[2]) if found is not None else ()
        return
    given, weight = unpacked(call.operand(0, "input", "query")), call.shape(1, "weight")
    shape = given.shape if given is not None else None
    x = x if given is call.operand(0, "input", "query") else None
    wanted = next((call.settings[name] for name in _SIZES if name in call.settings), weight[-1] if weight else None)
    if not shape or not isinstance(wanted, int):
        return
    if call.target.endswith("Cell") and len(shape) == 3:
        yield from _flattened(broken)
    if broken.cause == "recurrent-features" and len(shape) not in (2, 3):
        changes = [*grown(shape), *shrunk(shape)]
        yield from broken.after(x, (suffix for suffix, new in changes if len(new) == 3 and new[-1] == wanted))
    rank, turned = len(shape), shape[0] == wanted and wanted not in shape[1:]
    if rank > 2 and turned:
        yield from broken.after(x, (".flatten(1).transpose(0, 1)",))
    if shape[-1] != wanted:
        ways = [*shrunk(shape), *(change for change in moved(shape) if change[1][0] == shape[0])]
        yield from broken.after(x, (suffix for suffix, new in ways if new[-1] == wanted and len(new) > 1))
        if weight is not None and weight[0] == shape[-1] and len(weight) == 2:
            yield from broken.after(broken.place(1, "weight"), (".T",))
        for name in _SIZES if call.target != "MultiheadAttention" or _divides(broken, shape[-1]) else ():
            yield from related(broken, name, shape[-1])
            yield from broken.sized(name, shape[-1])
        if wanted == 1:
            yield from broken.after(x, (".unsqueeze(-1)",))


def _flattened(broken: Broken) -> Iterator[Edit]:
    """Steps or places as more of a batch, for a cell of one step."""
    node, x = broken.node, broken.place(0, "input")
    if isinstance(node, ast.Call) and x is not None and not node.keywords:
        given = ", ".join(f"{broken.alone(one)}.flatten(0, 1)" for one in node.args)
        text = f"{broken.text(node.func)}({given}).unflatten(0, {broken.alone(x)}.shape[:2])"
        yield from broken.instead(node, (text,))


def _divides(broken: Broken, size: int) -> bool:
    heads = broken.call.settings.get("num_heads")
    return isinstance(heads, int) and heads > 0 and size % heads == 0


MEND = Mend(frozenset({"linear-features", "recurrent-features", "attention-sizes"}), propose)

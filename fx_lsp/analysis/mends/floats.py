"""Floats where whole numbers cannot be computed with, and bools or whole numbers where floats cannot: a cast."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends.dtypes import uncast
from fx_lsp.analysis.mends.made_whole import made_as


def propose(broken: Broken) -> Iterator[Edit]:
    """Of each operand that is of the wrong type."""
    if broken.cause == "whole-numbers":
        given = broken.place(0, "input", "tensor")
        yield from uncast(broken, given, "f32")
        yield from broken.after(given, (".float()",))
        return
    floats = [(str(key), one) for key, one in enumerate(broken.call.operands) if one.dtype.startswith(("f", "bf"))]
    node = broken.node.operand if isinstance(broken.node, ast.UnaryOp) else None
    for key, _ in floats:
        given = node or broken.place(-1, key)
        yield from broken.after(given, (".bool()",))
        yield from made_as(broken, given, ".bool()") if given is not None else ()


MEND = Mend(frozenset({"whole-numbers", "bitwise-floats"}), propose)

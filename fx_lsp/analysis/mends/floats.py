"""Floats where whole numbers cannot be computed with, and bools or whole numbers where floats cannot: a cast."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path_of
from fx_lsp.analysis.mends.dtypes import uncast

MAX_MADE = 12
_MAKING = ("cat", "stack", "zeros", "ones", "tensor", "as_tensor", "from_numpy", "arange", "pad")


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
        yield from _made(broken, given) if given is not None else ()


def _made(broken: Broken, given: ast.expr) -> Iterator[Edit]:
    """Where it was made or joined: it may be used as a mask elsewhere, too."""
    steps = [
        step for step in path_of(broken, given) if isinstance(step.node, ast.Call) and called(step.node) in _MAKING
    ]
    for step in steps[:MAX_MADE]:
        yield _text.suffixed(step.source, step.node, ".bool()")


MEND = Mend(frozenset({"whole-numbers", "bitwise-floats"}), propose)

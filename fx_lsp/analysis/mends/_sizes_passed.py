"""Which parameters of a function have a size, by what its calls give them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from fx_lsp.analysis.mends._numbers import Follow
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source

LEAST = 3
"""Smaller numbers are passed for many things."""


def parameters(source: Source, node: ast.expr, size: int, files: Sequence[Source] = ()) -> list[str]:
    """Those of the function around an expression that are so much wherever a number is written for them, or at times;
    without what is written there already."""
    function = innermost(source, node) if not isinstance(node, ast.Constant) and size >= LEAST else None
    given = [*function.args.args, *function.args.kwonlyargs] if function is not None else []
    found: list[tuple[bool, str]] = []
    for one in given:
        name = ast.Name(one.arg, ast.Load(), lineno=node.lineno, col_offset=node.col_offset)
        known = (
            {*Follow(source, tuple(files)).known(name)} if one.arg not in ("self", ast.unparse(node)) else set[int]()
        )
        if size in known:
            found.append((len(known) > 1, one.arg))
    return [name for _, name in sorted(found, key=lambda one: one[0])]

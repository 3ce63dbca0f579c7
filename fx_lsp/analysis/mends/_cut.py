"""An index that takes parts of dims."""

from __future__ import annotations

import ast

from fx_lsp.analysis.causes._spatial import dims_of
from fx_lsp.analysis.mends._origin import Origin
from fx_lsp.analysis.mends._places import number


def is_cut(index: ast.expr) -> bool:
    """Whether an index takes parts of dims, and none away; it may add dims of 1."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(part.step is None if isinstance(part, ast.Slice) else is_none(part) for part in parts)


def cut_off(index: ast.expr, origin: Origin) -> int:
    """How many channels of a convolution an index cuts off at one end: 1 for `[:, :-1]`."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    channels = parts[1] if dims_of(origin.target) and not origin.turned and len(parts) > 1 else None
    if not isinstance(channels, ast.Slice) or any(not isinstance(part, ast.Slice) for part in parts):
        return 0
    lower, upper = number(channels.lower), number(channels.upper)
    if channels.lower is None:
        return -upper if upper is not None and upper < 0 else 0
    return lower if lower is not None and lower > 0 and channels.upper is None else 0


def is_none(part: ast.AST) -> bool:
    """Whether it adds a dim."""
    return isinstance(part, ast.Constant) and part.value is None

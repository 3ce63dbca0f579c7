"""Numbers that a call is given, as they are written."""

from __future__ import annotations

import ast
from itertools import count, takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fx_lsp.analysis.mends._broken import Broken


def listed(broken: Broken, *names: str) -> list[ast.expr]:
    """What is written after the tensor, in one group or one by one, or with one of these names."""
    nodes = [one for one in takewhile(lambda one: one is not None, map(broken.place, count(1))) if one is not None]
    named = [broken.written[name] for name in names if name in broken.written]
    found = nodes or named
    if len(found) == 1 and isinstance(found[0], ast.Tuple | ast.List):
        return found[0].elts
    return found


def number(node: ast.expr | None) -> int | None:
    """A whole number that is written out."""
    sign = -1 if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else 1
    plain = node.operand if isinstance(node, ast.UnaryOp) and sign == -1 else node
    return sign * plain.value if isinstance(plain, ast.Constant) and type(plain.value) is int else None

"""Names that nothing was bound to, as no branch was for what was given: `if isinstance(x, A): size = x.size`."""

from __future__ import annotations

import ast
import re
from types import CodeType

from fx_lsp.worker.inference.live import source

_UNBOUND = re.compile(r"local variable '(\w+)'")


def conditions(code: CodeType, message: str) -> str:
    """Those of the branches of a function that would have bound the name of which the message says that it is not, a
    line each; empty where there are none."""
    match, function = _UNBOUND.search(message), source(code)
    if match is None or function is None:
        return ""
    branches = (node for node in ast.walk(function) if isinstance(node, ast.If) and _binds(node, match[1]))
    return "".join(f"if {ast.unparse(node.test)}:\n" for node in branches)


def _binds(branch: ast.If, name: str) -> bool:
    inside = (part for statement in branch.body for part in ast.walk(statement))
    return any(isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store) for one in inside)

"""A `print` in a function that a model runs breaks its compilation and export.

Before:
    print(x.shape)
    return self.fc(x)
After:
    return self.fc(x)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._write import Unwritable, removed


def find(flow: Flow) -> Iterator[Found]:
    """Statements of `forward` that only print."""
    for node in ast.walk(flow.function) if flow.owner is not None and flow.function.name == "forward" else ():
        call = node.value if isinstance(node, ast.Expr) else None
        prints = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "print"
        if prints and isinstance(node, ast.Expr) and len(flow.block.get(id(node), ())) > 1:
            try:
                yield Found(node, (removed(flow.file, node),), "it does not print any more")
            except Unwritable:
                continue


RULE = Rewrite("print-in-forward", "Take the print away", find)

"""A number is read out of a tensor only to compute with tensors again: it stops the device and breaks compilation.

Before:
    y = x / x.abs().max().item()
After:
    y = x / x.abs().max().detach()
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.model.span import Span


def find(flow: Flow) -> Iterator[Found]:
    """Calls of `.item()` on one side of an operation whose other side is a tensor."""
    for node in ast.walk(flow.function):
        parent = flow.parents.get(id(node))
        if not isinstance(node, ast.Call) or not isinstance(parent, ast.BinOp) or node.args or node.keywords:
            continue
        func = node.func
        if isinstance(func, ast.Attribute) and func.attr == "item" and flow.file.output(parent) is not None:
            end = func.value.end_lineno or func.lineno, func.value.end_col_offset or 0
            place = Span(flow.file.source.path, *end, node.end_lineno or node.lineno, node.end_col_offset or 0)
            yield Found(node, ((place, ".detach()"),))


RULE = Rewrite("item-in-arithmetic", "Keep it a tensor", find)

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
from fx_lsp.analysis.rewrites._conditions import of_tensor, operands, statement_of
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._write import atom

_LOST = "in half precision small numbers beside it are lost"


def find(flow: Flow) -> Iterator[Found]:
    """Numbers read out of a tensor that are only computed with tensors."""
    for node in ast.walk(flow.function):
        statement = statement_of(flow, node) if isinstance(node, ast.Call) else None
        if statement is None or not isinstance(node, ast.Call):
            continue
        tensor = of_tensor(flow, node, statement)
        whole = isinstance(node.func, ast.Name) and node.func.id != "float"  # `int` and `bool` change it
        if tensor is not None and not whole and (places := operands(flow, node)):
            edit = ((flow.file.source.span(node), f"{atom(flow.file.text(tensor))}.detach()"),)
            yield Found(node, edit, "" if all(places) else _LOST)


RULE = Rewrite("item-in-arithmetic", "Keep it a tensor", find)

"""A copy of what was made just now, and nobody else holds.

Before:
    y = (x + h).clone()
After:
    y = x + h
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import Term
from fx_lsp.analysis.rewrites._write import Unwritable, replaced

_NEW = frozenset({"add", "sub", "mul", "div", "matmul", "neg", "exp", "log", "sqrt", "rsqrt", "square", "tanh", "abs",
                  "sigmoid", "silu", "softmax", "log_softmax", "cat", "stack", "where", "masked_fill", "sum", "mean",
                  "maximum", "minimum", "clone", "linear", "nn.Linear", "nn.Conv2d"})  # fmt: skip
"""Operations whose result is in memory of its own."""


def find(flow: Flow) -> Iterator[Found]:
    """Each clone of the result of an operation that stands there."""
    for term, statement in flow.roots:
        if term.op != "clone" or term.node is None or len(term.args) != 1 or term.named or not _is_new(term.args[0]):
            continue
        try:
            yield Found(term.node, replaced(flow, term, statement, "x", {"x": term.args[0]}))
        except Unwritable:
            continue


def _is_new(term: Term) -> bool:
    """Not what was changed in place, which others hold."""
    func = term.node.func if isinstance(term.node, ast.Call) else None
    return term.op in _NEW and not (isinstance(func, ast.Attribute) and func.attr.endswith("_"))


RULE = Rewrite("clone-of-result", "Take the copy away", find)

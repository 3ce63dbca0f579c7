"""A copy of what was made just now, and nobody else holds.

Before:
    y = (x + h).clone()
After:
    y = x + h
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.rewrites import Found, Rewrite, given_instead
from fx_lsp.analysis.rewrites._class import reads
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import Term
from fx_lsp.analysis.rewrites._write import Unwritable, replaced, without

_NEW = frozenset({"add", "sub", "mul", "div", "matmul", "neg", "exp", "log", "sqrt", "rsqrt", "square", "tanh", "abs",
                  "sigmoid", "silu", "softmax", "log_softmax", "cat", "stack", "where", "masked_fill", "sum", "mean",
                  "maximum", "minimum", "clone", "linear", "nn.Linear", "nn.Conv1d", "nn.Conv2d",
                  "nn.LayerNorm"})  # fmt: skip
"""Operations whose result is in memory of its own."""


def _copies_new(flow: Flow, term: Term) -> str | None:
    """Whether what it copies is the result of an operation, and not of one in place, which others hold."""
    if term.op != "clone" or len(term.args) != 1 or term.named:
        return None
    return "" if _is_new(flow, term.args[0]) else None


def _is_new(flow: Flow, made: Term) -> bool:
    func = made.node.func if isinstance(made.node, ast.Call) else None
    in_place = isinstance(func, ast.Attribute) and func.attr.endswith("_")
    return _operation(flow, made) in _NEW and not in_place


def find(flow: Flow) -> Iterator[Found]:
    """Also of a variable that is read for nothing else."""
    yield from _OF_RESULT(flow)
    for term, statement in flow.roots:
        made = flow.defined(term.args[0]) if term.op == "clone" and len(term.args) == 1 and not term.named else None
        if made is None or term.node is None or not _is_new(flow, made.term):
            continue
        try:
            instead = replaced(flow, term, statement, "x", {"x": made.term}, (made,))
            yield Found(term.node, (*instead, *without(flow, (made,), statement)))
        except Unwritable:
            continue


def _operation(flow: Flow, made: Term) -> str:
    """Its name; of a sequence that of its last layer."""
    func = made.node.func if isinstance(made.node, ast.Call) else None
    if made.op != "nn.Sequential" or not isinstance(func, ast.Attribute):
        return made.op
    layer = flow.file.layers(flow.owner).get(func.attr)
    if flow.owner is None or reads(flow.file, flow.owner, func.attr) != 1:
        return ""  # somebody may take its last layer away
    last = layer.args[-1] if layer is not None and layer.args else None
    name = flow.file.dotted(last.func) if isinstance(last, ast.Call) else ""
    return name.removeprefix("torch.")


_OF_RESULT = given_instead(_copies_new)
RULE = Rewrite("clone-of-result", "Take the copy away", find)

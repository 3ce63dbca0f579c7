"""A tensor that is made and thrown away: most of torch's functions change nothing in place.

    x.relu()
    mask.to(x.device)

Instead: keep it, `x = x.relu()`, or `x.relu_()`.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._operations import ran
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.analysis.source import Source, blocks, parsed


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each statement that is nothing but such a call."""
    functions = {one.span: one.target for one in ran(snapshot) if one.form == "function"}
    tensors = {one.name for trace in snapshot.traces for one in trace.reply.bindings if one.span.path == snapshot.path}
    source = parsed(snapshot.path, snapshot.text)
    for call in _statements(source) if functions else ():
        span = source.span(call)
        target = functions.get(span, "")
        if _is_called(target, call, tensors) and not target.endswith("_") and not _in_place(call):
            message = f"what `{target.rpartition('.')[2]}` gives is not used, and it changes nothing in place"
            yield Problem(span, "warning", RULE.id, message)


def _is_called(target: str, call: ast.Call, tensors: Container[str]) -> bool:
    """Whether the call is that of the function, and not of something that calls it, as `module.to(device)` does."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != target.rpartition(".")[2]:
        return False
    if target.startswith("torch.Tensor."):
        return ast.unparse(call.func.value) in tensors
    return target.startswith("torch.")


def _statements(source: Source) -> Iterator[ast.Call]:
    waiting = list(source.tree.body) if source.tree is not None else []
    while waiting:
        statement = waiting.pop()
        inside = isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        waiting.extend(statement.body if inside else blocks(statement))
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            yield statement.value


def _in_place(call: ast.Call) -> bool:
    """Whether it may be told to write somewhere."""
    told = any(one.arg in (None, "out", "inplace") for one in call.keywords)
    return told or any(isinstance(one, ast.Starred) or getattr(one, "value", None) is True for one in call.args)


RULE = Rule(id="result-unused", title="A tensor that is thrown away", find=find)

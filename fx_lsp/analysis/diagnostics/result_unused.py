"""A tensor that is made and thrown away: most of torch's functions change nothing in place.

    x.relu()
    mask.to(x.device)
    standardise(x)  # an own function, which returns another tensor
    h = self.norm(x)  # and `h` is not read

Instead: keep it, `x = x.relu()`, or `x.relu_()`; read the variable, or do not make it.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Sequence

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._flows import file_of
from fx_lsp.analysis.diagnostics._operations import ran
from fx_lsp.analysis.diagnostics._own_results import own_results
from fx_lsp.analysis.diagnostics._unread import PURE, unread
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.analysis.source import Source, blocks, parsed

_OF_MODULES = frozenset({"to", "cuda", "cpu", "half", "float", "double", "bfloat16", "type"})
"""Methods that modules have, too, which change them."""
_MESSAGE = "what `{}` gives is not used, and it changes nothing in place"


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each statement that is nothing but such a call."""
    functions = {one.span: one.target for one in ran(snapshot) if one.form == "function"}
    tensors = {one.name for trace in snapshot.traces for one in trace.reply.bindings if one.span.path == snapshot.path}
    source = parsed(snapshot.path, snapshot.text)
    yield from _layers(snapshot)
    yield from unread(snapshot)
    for call, name in own_results(snapshot) if functions else ():
        yield Problem(source.span(call), "warning", RULE.id, _MESSAGE.format(name))
    for call in _statements(source) if functions else ():
        span = source.span(call)
        target = functions.get(span, "")
        if _is_called(target, call, tensors) and not target.endswith("_") and not _in_place(call, target):
            yield Problem(span, "warning", RULE.id, _MESSAGE.format(target.rpartition(".")[2]))


def _layers(snapshot: Snapshot) -> Iterator[Problem]:
    """Calls of layers that do nothing but give something."""
    called = {one.span: one.target for one in ran(snapshot) if one.form == "module"}
    if not called:
        return
    file = file_of(snapshot)
    for function, owner in file.functions():
        for call in _statements_of(function.body):
            place, func = file.source.span(call), call.func
            if not isinstance(func, ast.Attribute) or getattr(func.value, "id", "") != "self":
                continue
            layer, name = file.layers(owner).get(func.attr), called.get(place, "")
            if layer is None or name not in PURE or _in_place(layer):
                continue
            if file.dotted(layer.func) == f"torch.nn.{name}":
                yield Problem(place, "warning", RULE.id, _MESSAGE.format(ast.unparse(func)))


def _is_called(target: str, call: ast.Call, tensors: Container[str]) -> bool:
    """Whether the call is that of the function, and not of something that calls it, as `module.to(device)` does."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != target.rpartition(".")[2]:
        return False
    if target.startswith("torch.Tensor."):
        value = call.func.value
        if isinstance(value, ast.Subscript) and call.func.attr not in _OF_MODULES:
            value = value.value
        return ast.unparse(value) in tensors
    return target.startswith("torch.")


def _statements(source: Source) -> Iterator[ast.Call]:
    yield from _statements_of(source.tree.body if source.tree is not None else [])


def _statements_of(body: Sequence[ast.stmt]) -> Iterator[ast.Call]:
    waiting = list(body)
    while waiting:
        statement = waiting.pop()
        inside = isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        waiting.extend(statement.body if inside else blocks(statement))
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            yield statement.value


def _in_place(call: ast.Call, target: str = "") -> bool:
    """Whether it may be told to write somewhere."""
    told = any(one.arg in (None, "out", "inplace") for one in call.keywords)
    method = target.startswith("torch.Tensor.")  # which is not told so by a place
    return told or any(
        isinstance(one, ast.Starred) or (getattr(one, "value", None) is True and not method) for one in call.args
    )


RULE = Rule(id="result-unused", title="A tensor that is thrown away", find=find)

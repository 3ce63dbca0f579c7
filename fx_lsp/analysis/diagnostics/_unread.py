"""Variables that hold a tensor which nothing reads, for `result-unused`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.diagnostics._flows import flows
from fx_lsp.analysis.diagnostics._operations import ran
from fx_lsp.analysis.rewrites._flow import Flow, Key
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.trace import Operation

PURE = frozenset({
    "Linear", "LayerNorm", "GroupNorm", "Dropout", "Dropout1d", "Dropout2d", "Conv1d", "Conv2d", "Conv3d", "ReLU",
    "GELU", "SiLU", "Sigmoid", "Tanh", "Softmax", "LeakyReLU", "MaxPool2d", "AvgPool2d", "Flatten", "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
})  # fmt: skip
"""Layers that remember nothing of a call."""
_VIEWS = frozenset({
    "__getitem__", "view", "reshape", "transpose", "permute", "unsqueeze", "squeeze", "expand", "flatten", "to",
    "detach", "contiguous", "t", "clone", "float", "size", "shape", "numel", "T", "mT", "device", "dtype",
})  # fmt: skip
"""What computes nothing."""
_SEES_ALL = frozenset({"locals", "vars", "eval", "exec", "globals", "dir"})
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp,
           ast.GeneratorExp)  # fmt: skip


def unread(snapshot: Snapshot) -> Iterator[Problem]:
    """One problem for each assignment of an operation, or of a layer that only gives something, to a variable that is
    bound anew, or left, before it is read, in a method of a module that came to its end."""
    names = {one.target.rpartition(".")[2] for one in ran(snapshot)}
    ended = {
        use.name
        for trace in snapshot.traces
        if not trace.older and trace.reply.failure is None
        for use in trace.reply.modules
        if use.path == snapshot.path and use.output is not None
    }
    for flow in flows(snapshot, names) if ended else ():
        if flow.file.names.get(id(flow.owner)) not in ended or flow.function.name.startswith("__"):
            continue
        hidden = _hidden(flow)
        for key, definition in flow.definitions.items():
            statement, (name, _) = definition.statement, key
            if name.startswith("_") or hidden is None or name in hidden or not _is_dead(flow, key):
                continue
            if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
                continue
            operation = flow.file.ran(statement.value)
            if operation is not None and _only_gives(flow, statement.value, operation):
                given = operation.target.rpartition(".")[2].strip("_")
                message = f"what `{given}` gives is not used: `{name}` is not read after this"
                yield Problem(flow.file.source.span(statement.value), "warning", "result-unused", message)


def _is_dead(flow: Flow, key: Key) -> bool:
    """Whether no place reads this version of it."""
    return not flow.uses[key]


def _only_gives(flow: Flow, value: ast.expr, operation: Operation) -> bool:
    """Whether it does nothing but compute: a function of torch that writes nowhere, or a layer of `PURE`."""
    name = operation.target.rpartition(".")[2]
    if operation.form == "module":
        func = value.func if isinstance(value, ast.Call) else None
        layer = flow.file.layers(flow.owner).get(func.attr) if isinstance(func, ast.Attribute) else None
        return name in PURE and layer is not None and flow.file.dotted(layer.func) == f"torch.nn.{name}"
    if isinstance(value, ast.Call):
        told = any(one.arg in (None, "out", "inplace") for one in value.keywords)
        called = getattr(value.func, "attr", getattr(value.func, "id", ""))
        if told or called != name:
            return False
    elif not isinstance(value, ast.BinOp | ast.UnaryOp | ast.Compare):
        return False
    inner = (flow.file.ran(node) for node in ast.walk(value) if isinstance(node, ast.Call))
    targets = [operation.target, *(one.target for one in inner if one is not None)]
    return name not in _VIEWS and not any(one.endswith("_") and not one.endswith("__") for one in targets)


def _hidden(flow: Flow) -> set[str] | None:
    """Names that other scopes read, that are deleted or that live on; None where all may be read unseen."""
    found: set[str] = set()
    for node in ast.walk(flow.function):
        if isinstance(node, ast.Name) and node.id in _SEES_ALL:
            return None
        if isinstance(node, ast.Global | ast.Nonlocal):
            found.update(node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del):
            found.add(node.id)
        elif isinstance(node, _SCOPES) and node is not flow.function:
            found.update(one.id for one in ast.walk(node) if isinstance(one, ast.Name))
    return found

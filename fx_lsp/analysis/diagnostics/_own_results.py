"""Calls of own functions that only give something, for `result-unused`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.diagnostics._flows import file_of
from fx_lsp.analysis.rewrites._file import File, Function
from fx_lsp.analysis.snapshot import Snapshot

_PLAIN = frozenset({"len", "range", "min", "max", "abs", "float", "int", "bool", "isinstance", "zip", "enumerate"})
_ASKS = frozenset({"dim", "size", "numel", "item", "is_floating_point"})
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.Return, ast.If, ast.For, ast.Assert)


def own_results(snapshot: Snapshot) -> Iterator[tuple[ast.Call, str]]:
    """Statements that are nothing but a call of a function of this file, or of a method of the same class, which ran,
    computes a result and does nothing else; with what is called."""
    file = file_of(snapshot)
    givers = {
        (id(owner), function.name)
        for function, owner in file.functions()
        if not function.decorator_list and _only_gives(file, function)
    }
    if not givers:
        return
    inside = {id(node): owner for function, owner in file.functions() for node in ast.walk(function)}
    for node in file.source.every(ast.Expr):
        call = node.value
        func = call.func if isinstance(call, ast.Call) else None
        if not isinstance(call, ast.Call):
            continue
        if isinstance(func, ast.Name) and (id(None), func.id) in givers and not _is_bound_elsewhere(file, func.id):
            yield call, func.id
        elif isinstance(func, ast.Attribute) and getattr(func.value, "id", "") == "self":
            owner = inside.get(id(node))
            if owner is not None and (id(owner), func.attr) in givers:
                yield call, f"self.{func.attr}"


def _is_bound_elsewhere(file: File, name: str) -> bool:
    """Whether the name also stands for something else."""
    defined = [one for one, owner in file.functions() if one.name == name and owner is None]
    stored = (one for one in file.source.every(ast.Name) if one.id == name and not isinstance(one.ctx, ast.Load))
    return len(defined) != 1 or any(stored)


def _only_gives(file: File, function: Function) -> bool:
    """Whether all that it does is to bind variables of its own and return a tensor: each call of it is an operation of
    torch that ran and writes nowhere, or asks for a number."""
    last = function.body[-1]
    if not isinstance(function, ast.FunctionDef) or not isinstance(last, ast.Return) or last.value is None:
        return False
    body = (
        function.body[1:] if isinstance(function.body[0], ast.Expr) and ast.get_docstring(function) else function.body
    )
    ran = False
    for node in (inner for statement in body for inner in ast.walk(statement)):
        if isinstance(node, ast.stmt) and not isinstance(node, _SIMPLE):
            return False
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            return False
        if isinstance(node, ast.Yield | ast.YieldFrom | ast.Await | ast.NamedExpr | ast.Lambda):
            return False
        if isinstance(node, ast.Call):
            operation = file.ran(node)
            if operation is None and getattr(node.func, "id", "") not in _PLAIN and not _asks(node):
                return False
            if operation is not None and (operation.form != "function" or _writes(node, operation.target)):
                return False
            ran |= operation is not None
    return ran


def _asks(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in _ASKS


def _writes(call: ast.Call, target: str) -> bool:
    told = any(one.arg in (None, "out", "inplace") for one in call.keywords)
    called = getattr(call.func, "attr", getattr(call.func, "id", ""))
    return told or target.endswith("_") or called != target.rpartition(".")[2] or not target.startswith("torch.")

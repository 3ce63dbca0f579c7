"""Calls of own functions that only give something, for `result-unused`."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from fx_lsp.analysis.diagnostics._flows import file_of
from fx_lsp.analysis.rewrites._file import File, Function
from fx_lsp.analysis.snapshot import Snapshot

_PLAIN = frozenset({"len", "range", "min", "max", "abs", "float", "int", "bool", "isinstance", "zip", "enumerate"})
_ASKS = frozenset({"dim", "size", "numel", "item", "is_floating_point"})
_TIMES = re.compile(r"perf_counter|\btime\.time\(|timeit|profile|\bTimer\b|synchronize\(|benchmark")
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.Return, ast.If, ast.For)


def own_results(snapshot: Snapshot) -> Iterator[tuple[ast.Call, str]]:
    """Statements that are nothing but a call of a function of this file, or of a method of the same class, which ran,
    computes a result and does nothing else, of a variable that is read after it as if it were another one by then; with
    what is called.  Not where a file takes times: there it may be called for these."""
    file = file_of(snapshot)
    if _TIMES.search(file.source.text):
        return
    functions = {(id(owner), one.name): one for one, owner in file.functions()}
    names = Counter(one.name for one, _ in file.functions())
    for body, owner in _blocks(file.top, None):
        for number, statement in enumerate(body):
            call = statement.value if isinstance(statement, ast.Expr) else None
            if not isinstance(call, ast.Call) or not call.args or not _reads(body[number + 1 :], call.args[0]):
                continue
            func, key = call.func, (0, "")
            if isinstance(func, ast.Name) and _is_alone(file, func.id):
                key = id(None), func.id
            elif isinstance(func, ast.Attribute) and getattr(func.value, "id", "") == "self" and owner is not None:
                key = (id(owner), func.attr) if names[func.attr] == 1 else key
            function = functions.get(key)
            if function is not None and not function.decorator_list and _only_gives(file, function):
                yield call, ast.unparse(func)


def _blocks(
    body: Sequence[ast.stmt], owner: ast.ClassDef | None
) -> Iterator[tuple[Sequence[ast.stmt], ast.ClassDef | None]]:
    """Statements that follow each other, with the class they are in; none that something is done around."""
    yield body, owner
    for one in body:
        if isinstance(one, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _blocks(one.body, one if isinstance(one, ast.ClassDef) else owner)
        elif isinstance(one, ast.If | ast.For | ast.While):
            yield from _blocks(one.body, owner)
            yield from _blocks(one.orelse, owner)


def _reads(statements: Sequence[ast.stmt], variable: ast.expr) -> bool:
    """Whether a variable is read before it is bound anew."""
    for one in statements if isinstance(variable, ast.Name) else ():
        names = [
            part for part in ast.walk(one) if isinstance(part, ast.Name) and part.id == getattr(variable, "id", "")
        ]
        if names:
            return any(isinstance(part.ctx, ast.Load) for part in names)
    return False


def _is_alone(file: File, name: str) -> bool:
    """Whether the name stands for nothing else anywhere in the file."""
    others = (
        *(one.id for one in file.source.every(ast.Name) if not isinstance(one.ctx, ast.Load)),
        *(one.arg for one in file.source.every(ast.arg)),
        *(one.asname or one.name for one in file.source.every(ast.alias)),
        *(one.name for one in file.source.every(ast.ClassDef)),
    )
    return name not in others and sum(one.name == name for one in file.source.every(ast.FunctionDef)) == 1


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

"""Which arguments came down to where something failed: by loops, assignments and the calls of others on the way."""

from __future__ import annotations

import ast
import inspect
import linecache
from types import CodeType, TracebackType
from typing import Any, Dict, Iterable, List, Mapping, Optional

from fx_lsp.worker.inference.attempts import Attempt, position
from fx_lsp.worker.inference.corrections import Arguments, Place, suspects
from fx_lsp.worker.inference.fields import said_of
from fx_lsp.worker.inference.live import parsed, source_text
from fx_lsp.worker.inference.mending import sources
from fx_lsp.worker.inference.variables import variables

MAX_STEPS = 6
"""Assignments on the way from an argument to where it is used in one function."""
MAX_FRAMES = 12
_TOGETHER = ("zip", "enumerate", "reversed", "list", "tuple", "sorted", "iter")


def came_down(attempt: Attempt, cls: type) -> List[str]:
    """The parameters of the constructor of a class that what failed within it was made of; none where it failed in the
    constructor itself."""
    traces: List[TracebackType] = []
    last: Optional[TracebackType] = None
    trace: Optional[TracebackType] = attempt.error.__traceback__ if attempt.error is not None else None
    while trace is not None:
        code = trace.tb_frame.f_code
        owner = variables(trace.tb_frame).get(code.co_varnames[0]) if code.co_argcount else None
        inner = traces and not code.co_name.startswith("<")  # a comprehension's names are those of its function
        if inner or (not traces and code.co_name == "__init__" and isinstance(owner, cls)):
            traces.append(trace)
        last, trace = trace, trace.tb_next
    if last is None or not 1 < len(traces) <= MAX_FRAMES:
        return []
    names = _names(_expression(last))
    for inner, outer in zip(traces[:0:-1], traces[-2::-1]):
        code = inner.tb_frame.f_code
        given = _followed(names, code)
        call = _call(_expression(outer), code, variables(inner.tb_frame))
        names = _passed(call, code, given) if call is not None else []
        if not names:
            return []
    return _followed(names, traces[0].tb_frame.f_code)


def nearest(
    attempt: Attempt, cls: type, place: Place, given: Arguments, parameters: Mapping[str, inspect.Parameter]
) -> List[str]:
    """The arguments that came down to where it failed, then those that the failure names; of these those first of which
    a `forward` that failed took what it failed at."""
    named = suspects(attempt, place, list(parameters), given)
    if place is not None and place[0].f_code.co_name == "forward" and len(named) > 1:
        reached = sources(said_of(attempt, place), [cls])
        named.sort(key=lambda name: name not in reached)
    return list(dict.fromkeys([*(name for name in came_down(attempt, cls) if name in parameters), *named]))


def _expression(trace: TracebackType) -> Optional[ast.expr]:
    """What failed, exactly; None where that cannot be said."""
    first, last, start, end = position(trace)
    if first is None or last is None or start is None or end is None:
        return None
    path = trace.tb_frame.f_code.co_filename
    lines = [linecache.getline(path, number).encode() for number in range(first, last + 1)]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    statements = parsed(f"({b''.join(lines).decode(errors='replace')})")
    only = statements[0] if len(statements) == 1 else None
    return only.value if isinstance(only, ast.Expr) else None


def _names(node: Optional[ast.AST]) -> List[str]:
    found = (one for one in ast.walk(node) if isinstance(one, ast.Name)) if node is not None else ()
    return list(dict.fromkeys(one.id for one in found))


def _followed(names: Iterable[str], code: CodeType) -> List[str]:
    """The parameters of a function that these names in it are, or were made of."""
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    made: Dict[str, List[str]] = {}
    for node in (one for statement in parsed(source_text(code)) for one in ast.walk(statement)):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                _bound(target, node.value, made)
        elif isinstance(node, (ast.For, ast.comprehension)):
            _bound(node.target, node.iter, made)
    found: List[str] = []
    waiting, seen = list(names), set(parameters)
    for _ in range(MAX_STEPS):
        found += [name for name in waiting if name in parameters and name not in found and name != "self"]
        fresh = [name for name in dict.fromkeys(waiting) if name not in seen]
        seen.update(fresh)
        waiting = [one for name in fresh for one in made.get(name, ())]
    return found


def _bound(target: ast.expr, value: ast.expr, made: Dict[str, List[str]]) -> None:
    """What each name of a target is made of: of things that are gone through side by side, each of its own."""
    if isinstance(target, (ast.Tuple, ast.List)):
        parts = _side_by_side(value, len(target.elts))
        for number, one in enumerate(target.elts):
            _bound(one, parts[number] if parts else value, made)
    elif isinstance(target, ast.Name):
        made.setdefault(target.id, []).extend(_names(value))
    elif isinstance(target, ast.Starred):
        _bound(target.value, value, made)


def _side_by_side(value: ast.expr, count: int) -> List[ast.expr]:
    if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == count:
        return value.elts
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name) or not value.args:
        return []
    if value.func.id == "zip" and len(value.args) == count:
        return value.args
    if value.func.id == "enumerate" and count == 2:
        return [ast.Constant(0), value.args[0]]
    return _side_by_side(value.args[0], count) if value.func.id in _TOGETHER else []


def _call(node: Optional[ast.expr], code: CodeType, seen: Any) -> Optional[ast.Call]:
    """The call of that function in an expression."""
    called = {code.co_name}
    if code.co_name == "__init__" and code.co_argcount:
        called |= {one.__name__ for one in type(seen.get(code.co_varnames[0])).__mro__}
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)] if node is not None else []
    named = [one for one in calls if ast.unparse(one.func).rpartition(".")[2] in called]
    return next(iter([*named, *calls]), None)


def _passed(call: ast.Call, code: CodeType, wanted: List[str]) -> List[str]:
    """Names in what a call gives for these parameters of a function."""
    positional = list(code.co_varnames[: code.co_argcount])
    if positional[:1] in (["self"], ["cls"]):
        del positional[0]
    found: List[str] = []
    spread = any(isinstance(one, ast.Starred) for one in call.args)
    for name, value in zip(positional, () if spread else call.args):
        found += _names(value) if name in wanted else []
    for keyword in call.keywords:
        found += _names(keyword.value) if keyword.arg in wanted else []
    return list(dict.fromkeys(found))

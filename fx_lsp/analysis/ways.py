"""What of a class no example comes to: methods that nothing calls, and branches of `forward` that an optional input or
training decides.  They are looked for from a call that ran, and show only what no other example does."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from fx_lsp.analysis.examples._arguments import defaults
from fx_lsp.analysis.modules import classes_of, modules
from fx_lsp.analysis.snapshot import Trace
from fx_lsp.analysis.source import parse_expression
from fx_lsp.analysis.workspace import Workspace
from fx_lsp.model.example import PROGRAMS, WAY, Maker
from fx_lsp.model.span import Span
from fx_lsp.model.trace import ModuleUse
from fx_lsp.model.value import TensorType, concrete

MAX_WAYS = 12
"""Of one file."""
_TELLS = (ast.Call, ast.BinOp, ast.Subscript, ast.Compare)
_OTHERWISE = ("staticmethod", "classmethod", "property", "abstractmethod", "setter", "overload")
"""Decorators of what is not called on an instance."""


def untaken(workspace: Workspace, path: str, traces: Sequence[Trace]) -> tuple[Maker, ...]:
    """The ways through classes of the file that no trace took, each with the call to go on from."""
    return tuple(_untaken(workspace, path, traces))[:MAX_WAYS]


def missed(workspace: Workspace, path: str, traces: Sequence[Trace]) -> dict[str, frozenset[str]]:
    """Methods of classes of the file in which there is something that no trace came to, as `Net::forward`, and the
    names and texts that decide whether one does."""
    source, seen = workspace.source(path), _seen(path, traces)
    found: dict[str, frozenset[str]] = {}
    for name, node in classes_of(source).items() if source is not None else ():
        for method in node.body:
            if not isinstance(method, ast.FunctionDef):
                continue
            left_out = [one for one in ast.walk(method) if isinstance(one, ast.stmt) and one.lineno in seen.missed]
            if any(map(_tells, left_out)) or (method.name != "forward" and _is_unused(method, seen)):
                found[f"{name}{WAY}{method.name}"] = frozenset(_deciding(method, {one.lineno for one in left_out}))
    return found


def _deciding(method: ast.FunctionDef, lines: set[int]) -> Iterator[str]:
    """What the branches ask for that hold the lines."""
    for branch in ast.walk(method):
        if isinstance(branch, ast.If) and any(one.lineno in lines for one in (*branch.body, *branch.orelse)):
            for one in ast.walk(branch.test):
                if isinstance(one, ast.Name | ast.Attribute):
                    yield one.id if isinstance(one, ast.Name) else one.attr
                elif isinstance(one, ast.Constant):
                    yield repr(one.value)


def in_vain(traces: Sequence[Trace]) -> int:
    """How many calls that others wrote came to nothing that those before them had not come to."""
    told = {place for trace in traces if not trace.example.fills for place in _places(trace)}
    count = 0
    for trace in traces:
        if trace.example.is_further:
            places = {*_places(trace)}
            count += trace.reply.failure is not None or places <= told
            told |= places
    return count


def complementing(traces: Iterable[Trace], chosen: int = -1) -> tuple[Trace, ...]:
    """The traces, those that fill without what others show; the user may have chosen to see one of them whole."""
    found = tuple(traces)
    if not any(trace.example.fills for trace in found):
        return found
    told = {place for trace in found if not trace.example.fills for place in _places(trace)}
    whole = {number for number, trace in enumerate(found) if not trace.example.fills or number == chosen}
    return tuple(trace if number in whole else _beside(trace, told) for number, trace in enumerate(found))


def _places(trace: Trace) -> Iterator[Span]:
    for facts in (trace.reply.bindings, trace.reply.operations):
        yield from (fact.span for fact in facts)


def _beside(trace: Trace, told: set[Span]) -> Trace:
    """Without what is told by others, and without what counts calls."""
    bindings = tuple(one for one in trace.reply.bindings if one.span not in told)
    operations = tuple(one for one in trace.reply.operations if one.span not in told)
    return replace(trace, reply=replace(trace.reply, bindings=bindings, operations=operations, modules=()))


@dataclass(frozen=True)
class _Seen:
    """Of one file, over all traces."""

    places: frozenset[tuple[int, int]]
    """Lines and columns at which something was found."""
    lines: frozenset[int]
    missed: frozenset[int]
    """Lines that were passed over, in functions that ran."""


def _untaken(workspace: Workspace, path: str, traces: Sequence[Trace]) -> Iterator[Maker]:
    source = workspace.source(path)
    nodes = classes_of(source) if source is not None else {}
    seen = _seen(path, traces)
    for module in modules(workspace, path):
        functions = (one for one in nodes[module.name].body if isinstance(one, ast.FunctionDef))
        methods = [function for function in functions if _is_untaken(function, seen)]
        call = next(_calls(path, module.name, traces), None) if methods else None
        if call is not None:
            yield from (Maker(f"{module.name}{WAY}{method.name}", *call) for method in methods)


def _seen(path: str, traces: Sequence[Trace]) -> _Seen:
    places = frozenset((s.line, s.column) for trace in traces for s in _places(trace) if s.path == path)
    passed = {line for trace in traces for one in trace.reply.reached if one.path == path for line in one.unreached}
    lines = frozenset(line for line, _ in places)
    return _Seen(places, lines, frozenset(passed - lines))


def _is_untaken(method: ast.FunctionDef, seen: _Seen) -> bool:
    if method.name == "forward":
        return any(_decided_by_inputs(method, one, seen) for one in ast.walk(method))
    return _is_unused(method, seen)


def _is_unused(method: ast.FunctionDef, seen: _Seen) -> bool:
    """Whether it is there to be called, and no trace came to it."""
    decorators = " ".join(map(ast.unparse, method.decorator_list))
    if method.name.startswith("_") or any(word in decorators for word in _OTHERWISE):
        return False
    lines = range(method.lineno, (method.end_lineno or method.lineno) + 1)
    return seen.lines.isdisjoint(lines) and any(map(_tells, method.body))


def _decided_by_inputs(forward: ast.FunctionDef, branch: ast.AST, seen: _Seen) -> bool:
    """Whether other inputs, or training, would come to a branch that nothing came to."""
    if not isinstance(branch, (ast.If, ast.IfExp)):
        return False
    optional = defaults(forward)
    named = [one.id for one in ast.walk(branch.test) if isinstance(one, ast.Name)]
    trains = any(isinstance(one, ast.Attribute) and one.attr == "training" for one in ast.walk(branch.test))
    if not trains and not any(name in optional for name in named):
        return False
    if isinstance(branch, ast.IfExp):
        sides = [side for side in (branch.body, branch.orelse) if _tells(side)]
        return any((side.lineno, side.col_offset) not in seen.places for side in sides)
    return any(one.lineno in seen.missed and _tells(one) for one in (*branch.body, *branch.orelse))


def _tells(node: ast.AST) -> bool:
    """Whether a tensor may be made there."""
    if isinstance(node, (ast.Raise, ast.Assert, ast.FunctionDef, ast.ClassDef)):
        return False
    return any(isinstance(one, _TELLS) for one in ast.walk(node))


def _calls(path: str, name: str, traces: Iterable[Trace]) -> Iterator[tuple[str, str]]:
    """Calls of the class that ran, with what comes before them, the one that an example is of first; else calls of what
    contains it, with what its `forward` was given."""
    around: list[tuple[str, str]] = []
    for trace in traces:
        example = trace.example
        if trace.reply.failure is not None or example.fills or example.scope != path or trace.call in PROGRAMS:
            continue
        call = parse_expression(trace.call)
        use = next((one for one in trace.reply.modules if one.path == path and one.name == name), None)
        if not isinstance(call, ast.Call) or use is None:
            continue
        if example.target == name or not use.module:
            yield example.setup, trace.call
        elif (given := _given(use)) is not None:
            around.append((example.setup, f"{ast.unparse(call.func)}({given})"))
    yield from around


def _given(use: ModuleUse) -> str | None:
    tensors = [one for one in use.inputs if isinstance(one, TensorType)]
    return ", ".join(map(concrete, tensors)) if len(tensors) == len(use.inputs) else None

"""What the parameters of a function were, and what it gave back, over all runs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fx_lsp.analysis.rewrites._file import Function
from fx_lsp.analysis.snapshot import Snapshot, Trace
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Binding
from fx_lsp.model.value import Value

Place = tuple[int, int]


@dataclass(frozen=True)
class Seen:
    """Of one parameter, or of what is returned."""

    values: tuple[Value, ...]
    always: bool
    """It held a tensor in every call."""


def parameters(function: Function) -> list[ast.arg]:
    """In the order in which they are checked."""
    given = function.args
    several = [one for one in (given.vararg,) if one is not None]
    named = [one for one in (given.kwarg,) if one is not None]
    return [*given.posonlyargs, *given.args, *several, *given.kwonlyargs, *named]


def seen(snapshot: Snapshot, function: Function, owner: str) -> tuple[dict[str, Seen], Seen | None]:
    """Per parameter that held a tensor; and of the result, None when it is not known what else it was.

    `owner`: qualified name of the class whose `forward` it is, else empty.
    """
    places = {(one.lineno, one.col_offset): one.arg for one in parameters(function)}
    own = [*_own(function)]
    returns = {(one.lineno, one.col_offset) for one in own if isinstance(one, ast.Return)}
    values: dict[str, dict[Value, None]] = {}
    lacking: set[str] = set()
    given: dict[Value, None] = {}
    proven, asked = True, False
    for trace in snapshot.traces:
        here = [one for one in trace.reply.bindings if one.span.path == snapshot.path]
        taken = {
            places[_place(one.span)]: one for one in here if one.role == "parameter" and _place(one.span) in places
        }
        calls = max([*map(_sum, taken.values()), _calls(trace, snapshot.path, owner)])
        if not taken or not calls:
            continue
        for name, binding in taken.items():
            values.setdefault(name, {}).update((one.value, None) for one in binding.variants)
        lacking |= {name for name in places.values() if name not in taken or _fails(taken[name], calls)}
        exact = calls == _calls(trace, snapshot.path, owner) or not all(one.mixed for one in taken.values())
        back = [one for one in here if one.role == "return" and _place(one.span) in returns]
        given.update((one.value, None) for binding in back for one in binding.variants)
        if trace.reply.failure is None:
            asked = True
            proven = proven and exact and sum(map(_sum, back)) == calls
    found = {name: Seen(tuple(held), name not in lacking) for name, held in values.items()}
    whole = asked and proven and bool(given) and not _yields(function, own)
    return found, Seen(tuple(given), True) if whole else None


def _place(span: Span) -> Place:
    return span.line, span.column


def _sum(binding: Binding) -> int:
    return sum(variant.count for variant in binding.variants)


def _fails(binding: Binding, calls: int) -> bool:
    """Whether it held something else at times."""
    return binding.mixed or _sum(binding) < calls


def _calls(trace: Trace, path: str, owner: str) -> int:
    return sum(use.calls for use in trace.reply.modules if owner and (use.path, use.name) == (path, owner))


def _yields(function: Function, own: Iterable[ast.AST]) -> bool:
    """Whether what is returned is not what a call gives."""
    return isinstance(function, ast.AsyncFunctionDef) or any(
        isinstance(node, ast.Yield | ast.YieldFrom) for node in own
    )


def _own(function: Function) -> Iterator[ast.AST]:
    """What is in it and in no function inside of it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))

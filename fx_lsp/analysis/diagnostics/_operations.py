"""Operations that ran, with the calls that made them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterator, Mapping
from functools import lru_cache

from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.analysis.source import parsed
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Operation, OperationVariant


def operations(snapshot: Snapshot, targets: Container[str]) -> Iterator[tuple[ast.Call, Operation]]:
    """Of this file and of its present text, those of the targets that are written as calls, each place once."""
    seen: set[Span] = set()
    for operation in ran(snapshot):
        if operation.target in targets and operation.span not in seen:
            seen.add(operation.span)
            call = calls(snapshot.path, snapshot.text).get(operation.span)
            if call is not None:
                yield call, operation


def ran(snapshot: Snapshot) -> Iterator[Operation]:
    """All operations of this file and of its present text."""
    for trace in snapshot.traces:
        if not trace.older:
            yield from (one for one in trace.reply.operations if one.span.path == snapshot.path)


def told(
    snapshot: Snapshot, message: Callable[[Operation, OperationVariant], str | None]
) -> Iterator[tuple[Span, str]]:
    """What there is to say of each place at which something is: of the first variant of which it is."""
    found: dict[Span, str] = {}
    for operation in ran(snapshot):
        texts = (text for variant in operation.variants if (text := message(operation, variant)) is not None)
        if operation.span not in found and (first := next(texts, None)) is not None:
            found[operation.span] = first
    yield from found.items()


@lru_cache(maxsize=4)
def calls(path: str, text: str) -> Mapping[Span, ast.Call]:
    """Every call of a file."""
    source = parsed(path, text)
    nodes = ast.walk(source.tree) if source.tree is not None else ()
    return {source.span(node): node for node in nodes if isinstance(node, ast.Call)}


def itself(call: ast.Call, operation: Operation) -> bool:
    """Whether the function is called here, by its name, and not by what is called here."""
    return getattr(call.func, "attr", getattr(call.func, "id", "")) == operation.target.rpartition(".")[2]


def says(call: ast.Call, name: str, place: int) -> bool:
    """Whether an argument is given, by its keyword or its place from 0; True where that cannot be told."""
    unknown = any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords)
    return unknown or len(call.args) > place or any(one.arg == name for one in call.keywords)

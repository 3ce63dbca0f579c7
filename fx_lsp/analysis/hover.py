"""What is known about the expression or name under the cursor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fx_lsp.analysis.hints import MAX_LISTED, MAX_PATHS, all_hints, tooltip
from fx_lsp.analysis.lenses import count
from fx_lsp.analysis.markdown import code, plain
from fx_lsp.analysis.snapshot import Snapshot, Trace
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Operation, OperationVariant
from fx_lsp.model.value import concrete, tensors


@dataclass(frozen=True)
class Hover:
    """Markdown about a piece of the text."""

    markdown: str
    span: Span


def hover(snapshot: Snapshot, line: int, column: int) -> Hover | None:
    """About the innermost operation at the position (line from 1, UTF-8 column), or the name bound there."""
    for hint in all_hints(snapshot):
        if hint.span.contains(line, column):
            name = "" if hint.name == "return" else f"{code(hint.name)}\n\n"
            return Hover(name + tooltip(hint, snapshot), hint.span)
    found = [
        (operation, trace)
        for trace in snapshot.traces
        for operation in trace.reply.operations
        if operation.span.path == snapshot.path and operation.span.contains(line, column)
    ]
    if not found:
        return None
    span = min((operation.span for operation, _ in found), key=_size)
    here = [(operation, trace) for operation, trace in found if operation.span == span]
    return Hover("\n\n".join(_paragraphs(here, snapshot)), span)


def _size(span: Span) -> tuple[int, int]:
    return span.end_line - span.line, span.end_column - span.column


def _paragraphs(here: list[tuple[Operation, Trace]], snapshot: Snapshot) -> Iterator[str]:
    operation = _main(here)
    same = [(other, trace) for other, trace in here if (other.target, other.form) == (operation.target, operation.form)]
    yield f"**{plain(operation.target)}**" + (" (module)" if operation.form == "module" else "")
    variants = list(dict.fromkeys(variant for other, _ in same for variant in other.variants))
    yield "  \n".join(_variant(variant) for variant in variants[:MAX_LISTED])
    if len(variants) > MAX_LISTED:
        yield f"… and {len(variants) - MAX_LISTED} more"
    inside = dict.fromkeys(other.target for other, _ in here if other.target != operation.target)
    if inside:
        yield "made by " + ", ".join(map(plain, inside))
    calls = [span for span in operation.calls if span.path != operation.span.path or span != operation.span]
    if calls:
        yield "called from line " + " → ".join(str(span.line) for span in calls[-4:])
    yield from dict.fromkeys(_origin(trace) for _, trace in same)
    if snapshot.stale:
        yield "of an older text"


def _main(here: list[tuple[Operation, Trace]]) -> Operation:
    """A module call stands for what happens inside it; else the last operation made the expression's value."""
    modules = [operation for operation, _ in here if operation.form == "module"]
    return modules[-1] if modules else here[-1][0]


def _variant(variant: OperationVariant) -> str:
    inputs = ", ".join(map(concrete, variant.inputs)) or "()"
    text = code(f"{inputs} → {concrete(variant.output)}")
    facts = list(_layout(variant))
    if variant.parameters:
        facts.append(f"{count(variant.parameters)} params")
    paths = [path for path in variant.modules if path]
    if paths:
        more = f", … {len(paths) - MAX_PATHS} more" if len(paths) > MAX_PATHS else ""
        facts.append(f"in {', '.join(map(plain, paths[:MAX_PATHS]))}{more}")
    return " · ".join([text, *facts])


def _layout(variant: OperationVariant) -> Iterable[str]:
    for tensor in tensors(variant.output):
        if tensor.stride:
            yield f"not contiguous, strides {tensor.stride}"
        if tensor.device != "cpu":
            yield plain(tensor.device)


def _origin(trace: Trace) -> str:
    reply = trace.reply
    text = f"from {trace.example.origin} {code(trace.call)}"
    if reply.engine == "real":
        text += ", on real tensors" + (f" ({plain(reply.fallback)})" if reply.fallback else "")
    if reply.devices:
        text += f", {plain(' and '.join(reply.devices))} traced as cpu"
    return text

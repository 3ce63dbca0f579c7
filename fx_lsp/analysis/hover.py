"""What is known about the expression or name under the cursor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fx_lsp.analysis.calls import chosen_first
from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.costs import of_expression
from fx_lsp.analysis.counts import count
from fx_lsp.analysis.hints import Hint, all_hints, sources, tooltip
from fx_lsp.analysis.hover_class import of_class
from fx_lsp.analysis.markdown import code
from fx_lsp.analysis.memory import layout, memory, since
from fx_lsp.analysis.naming import imposed, line_of
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.analysis.variants import MAX_LISTED, merged_operations, ranked, sizes, unknowns, where
from fx_lsp.model.example import DTYPES
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Operation, OperationVariant
from fx_lsp.model.value import label, tensors

MAX_CALLS = 4
"""Steps of a call path that are shown, the innermost."""


@dataclass(frozen=True)
class Hover:
    """Markdown about a piece of the text."""

    markdown: str
    span: Span


def hover(snapshot: Snapshot, line: int, column: int) -> Hover | None:
    """About the class whose name is at the position (line from 1, UTF-8 column), or the innermost operation or bound
    name, or an unreached line."""
    if (found := of_class(snapshot, line, column)) is not None:
        return Hover(*found)
    hints = [hint for hint in all_hints(snapshot) if hint.variants and hint.span.contains(line, column)]
    operations = [
        (number, operation)
        for number, trace in ranked(snapshot)
        for operation in trace.reply.operations
        if operation.span.path == snapshot.path and operation.span.contains(line, column)
    ]
    spans = [hint.span for hint in hints] + [operation.span for _, operation in operations]
    if not spans:
        return _unreached(snapshot, line)
    span = min(spans, key=lambda span: _rank(span, line, column))
    for hint in hints:
        if hint.span == span:
            return Hover(_name(hint) + tooltip(hint, snapshot), span)
    here = [(number, operation) for number, operation in operations if operation.span == span]
    return Hover("\n\n".join(_paragraphs(here, snapshot)), span)


def _rank(span: Span, line: int, column: int) -> tuple[bool, int, int, int, int]:
    """Those that start at or before the position and end after it come first, of these the innermost."""
    at_end = (line, column) >= (span.end_line, span.end_column)
    return at_end, -span.line, -span.column, span.end_line, span.end_column


def _name(hint: Hint) -> str:
    return "" if hint.name == "return" else f"{code(hint.name)}\n\n"


def _paragraphs(here: list[tuple[int, Operation]], snapshot: Snapshot) -> Iterator[str]:
    main = _main([operation for _, operation in here])
    same = [(n, operation) for n, operation in here if (operation.target, operation.form) == (main.target, main.form)]
    yield f"**{code(main.target)}**" + (" (module)" if main.form == "module" else "")
    every = merged_operations(variant for _, operation in same for variant in operation.variants)
    variants, _ = chosen_first(snapshot, main.span, "", every)
    became = next(filter(None, (since(snapshot, operation) for _, operation in same)), "")
    lines = [_variant(variant, main.target, became) for variant in variants[:MAX_LISTED]]
    if len(variants) > MAX_LISTED:
        lines.append(f"- and {len(variants) - MAX_LISTED} more")
    yield "\n".join(lines)
    values = [value for variant in variants for value in (*variant.inputs, variant.output)]
    yield from (*unknowns(values), *imposed(values, snapshot, [number for number, _ in same]))
    others = dict.fromkeys(operation.target for _, operation in here if operation.target != main.target)
    if others:
        yield "with " + ", ".join(map(code, others))
    if main.calls:
        steps = [line_of(span, snapshot.path) for span in main.calls[-MAX_CALLS:]]
        yield f"called from {' → '.join(steps)}"
    yield from of_expression(snapshot, main.span)
    yield from sources(snapshot, dict.fromkeys(number for number, _ in same))


def _main(here: list[Operation]) -> Operation:
    """A module call stands for what happens inside it; else the last operation made the expression's value."""
    modules = [operation for operation in here if operation.form == "module"]
    return modules[-1] if modules else here[-1]


def _variant(variant: OperationVariant, target: str, became: str) -> str:
    inputs = ", ".join(map(label, variant.inputs)) or "()"
    facts = [code(f"{inputs} → {label(variant.output)}"), *sizes(variant.output), *_kinds(variant)]
    facts += [*memory(variant, target), *layout(variant, became)]
    if variant.parameters:
        facts.append(f"{count(variant.parameters)} params")
    return "- " + " · ".join([*facts, *where(variant.modules, variant.count)])


def _kinds(variant: OperationVariant) -> Iterator[str]:
    """Dtype and device of the output."""
    outputs = tensors(variant.output)
    yield from map(code, dict.fromkeys(f"{DTYPES.get(one.dtype, one.dtype)} on {one.device}" for one in outputs))


def _unreached(snapshot: Snapshot, line: int) -> Hover | None:
    """A statement that no run came to, in a function that did run."""
    missed = [
        (number, reached)
        for number, trace in ranked(snapshot)
        for reached in trace.reply.reached
        if reached.path == snapshot.path and line in reached.unreached
    ]
    touched = any(
        fact.span.path == snapshot.path and fact.span.line == line
        for trace in snapshot.traces
        for facts in (trace.reply.bindings, trace.reply.operations)
        for fact in facts
    )
    if not missed or touched:
        return None
    lines = ["This line did not run.", *sources(snapshot, [number for number, _ in missed])]
    text = columns(snapshot.text).lines[line - 1 : line]
    return Hover(
        "\n\n".join(lines), Span(snapshot.path, line, 0, line, len("".join(text).encode("utf-8", "surrogatepass")))
    )

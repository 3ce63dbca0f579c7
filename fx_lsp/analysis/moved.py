"""Facts of an older text, moved along with the lines that did not change."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.snapshot import ModuleClass, Problem, Snapshot, Trace
from fx_lsp.model.costs import Costs
from fx_lsp.model.failure import Failure
from fx_lsp.model.naming import Constraint
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Binding, Operation, Reached

Lines = Mapping[int, int]
"""New number of each line that is still there."""

MAX_COMPARED = 2000
"""Lines of the part that changed; in a longer one, lines that occur often are not looked for."""

MAX_CHANGED = 20_000
"""In one that is longer still, nothing is looked for: it takes time with the square of it."""

Fact = TypeVar("Fact", Binding, Operation)


def moved(snapshot: Snapshot, text: str) -> Snapshot:
    """The snapshot for the new text: what stood on unchanged lines stands there still, the rest is gone.

    A span of several lines survives only if all of them do, next to each other as before.  All traces are older.
    """
    if text == snapshot.text:
        return snapshot
    lines = lines_kept(snapshot.text, text)
    return replace(
        snapshot,
        text=text,
        modules=tuple(_module(module, lines) for module in snapshot.modules if module.line in lines),
        traces=tuple(_trace(trace, snapshot.path, lines) for trace in snapshot.traces),
        problems=tuple(_problems(snapshot, lines)),
        obstacles=(),
    )


def lines_kept(old: str, new: str) -> Lines:
    """The lines that did not change."""
    before, after = columns(old).lines, columns(new).lines
    head, tail = unchanged(before, after)
    found = {number: number for number in range(1, head + 1)}
    shift = len(after) - len(before)
    found.update({number: number + shift for number in range(len(before) - tail + 1, len(before) + 1)})
    changed, into = before[head : len(before) - tail], after[head : len(after) - tail]
    if len(changed) + len(into) > MAX_CHANGED:
        return found
    large = len(changed) + len(into) > MAX_COMPARED
    for block in difflib.SequenceMatcher(None, changed, into, autojunk=large).get_matching_blocks():
        for offset in range(block.size):
            found[head + block.a + offset + 1] = head + block.b + offset + 1
    return found


def unchanged(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """How many lines are the same at the start, and at the end of the rest."""
    shorter = min(len(before), len(after))
    head = next((number for number in range(shorter) if before[number] != after[number]), shorter)
    left = shorter - head
    return head, next((number for number in range(left) if before[-1 - number] != after[-1 - number]), left)


def span_kept(span: Span, path: str, lines: Lines) -> Span | None:
    """Where the lines of a span stand now; None when one of them changed, or stands elsewhere."""
    if span.path != path:
        return span
    first = lines.get(span.line)
    if first is None:
        return None
    shift = first - span.line
    if any(lines.get(number) != number + shift for number in range(span.line, span.end_line + 1)):
        return None
    return replace(span, line=first, end_line=span.end_line + shift)


def _spans(spans: Iterable[Span], path: str, lines: Lines) -> tuple[Span, ...]:
    return tuple(new for span in spans if (new := span_kept(span, path, lines)) is not None)


def _problems(snapshot: Snapshot, lines: Lines) -> Iterator[Problem]:
    for problem in snapshot.problems:
        span = span_kept(problem.span, snapshot.path, lines)
        if span is not None:
            places = ((span_kept(place, snapshot.path, lines), text) for place, text in problem.related)
            related = tuple((place, text) for place, text in places if place is not None)
            yield replace(problem, span=span, related=related)


def _trace(trace: Trace, path: str, lines: Lines) -> Trace:
    reply, example = trace.reply, trace.example
    written = None if example.span is None else span_kept(example.span, path, lines)
    edited = example.span is not None and written is None
    return replace(
        trace,
        older=True,
        example=replace(example, span=written),
        reply=replace(
            reply,
            bindings=_facts(reply.bindings, path, lines),
            operations=_facts(reply.operations, path, lines),
            lineage=(),
            reached=tuple(_reached(entry, path, lines) for entry in reply.reached),
            failure=reply.failure and _failure(reply.failure, edited, path, lines),
            constraints=tuple(_constraints(reply.constraints, path, lines)),
            costs=reply.costs and _costs(reply.costs, path, lines),
        ),
    )


def _constraints(constraints: Iterable[Constraint], path: str, lines: Lines) -> Iterator[Constraint]:
    for one in constraints:
        span = span_kept(one.span, path, lines) if one.span is not None else None
        if span is not None or one.span is None:
            yield replace(one, span=span)


def _costs(costs: Costs, path: str, lines: Lines) -> Costs:
    """Of what is still there as a whole."""
    spans = [span_kept(one.span, path, lines) for one in costs.expressions]
    new: dict[int, int] = {}
    for old in (number for number, span in enumerate(spans) if span is not None):
        new[old] = len(new)
    pairs = zip(costs.expressions, spans, strict=True)
    left = (one for one in costs.lines if all(number in new for number in one.expressions))
    return replace(
        costs,
        expressions=tuple(replace(one, span=span) for one, span in pairs if span is not None),
        lines=tuple(replace(one, expressions=tuple(new[number] for number in one.expressions)) for one in left),
    )


def _facts(facts: tuple[Fact, ...], path: str, lines: Lines) -> tuple[Fact, ...]:
    return tuple(
        fact if span is fact.span else replace(fact, span=span)
        for fact in facts
        if (span := span_kept(fact.span, path, lines)) is not None
    )


def _failure(failure: Failure, edited: bool, path: str, lines: Lines) -> Failure:
    """When the failing line or the example was edited, nobody knows whether it still fails."""
    span = None if failure.span is None else span_kept(failure.span, path, lines)
    if edited or (failure.span is not None and span is None):
        return replace(failure, stage="cancelled", span=span, calls=_spans(failure.calls, path, lines))
    layer = failure.layer
    if layer is not None and layer.built is not None:
        layer = replace(layer, built=span_kept(layer.built, path, lines))
    return replace(failure, span=span, calls=_spans(failure.calls, path, lines), layer=layer)


def _reached(entry: Reached, path: str, lines: Lines) -> Reached:
    if entry.path != path:
        return entry
    return replace(entry, unreached=tuple(lines[number] for number in entry.unreached if number in lines))


def _module(module: ModuleClass, lines: Lines) -> ModuleClass:
    line, name = lines[module.line], module.name_span
    near = [module.end_line, module.end_line + 1, *range(module.end_line, 0, -1)]
    last = next(number for number in near if number in lines)
    return replace(
        module,
        line=line,
        end_line=max(line, lines[last] + module.end_line - last),
        name_span=replace(name, line=name.line - module.line + line, end_line=name.end_line - module.line + line),
        forward_line=lines.get(module.forward_line) if module.forward_line else None,
    )

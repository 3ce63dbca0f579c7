"""Facts of an older text, moved along with the lines that did not change."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import replace

from fx_lsp.analysis.snapshot import ModuleClass, Snapshot, Trace
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Reached

Lines = Mapping[int, int]
"""New number of each line that is still there."""


def moved(snapshot: Snapshot, text: str) -> Snapshot:
    """The snapshot for the new text: what stood on unchanged lines stands there still, the rest is gone; stale.

    A span of several lines survives only if all of them do, next to each other as before.
    """
    if text == snapshot.text:
        return snapshot
    lines = _lines(snapshot.text, text)
    return replace(
        snapshot,
        text=text,
        modules=tuple(_module(module, lines) for module in snapshot.modules if module.line in lines),
        traces=tuple(_trace(trace, snapshot.path, lines) for trace in snapshot.traces),
        problems=tuple(
            replace(problem, span=span)
            for problem in snapshot.problems
            if (span := _span(problem.span, snapshot.path, lines)) is not None
        ),
        stale=bool(snapshot.traces),
    )


def _lines(old: str, new: str) -> Lines:
    before, after = old.split("\n"), new.split("\n")
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    found = {number: number for number in range(1, head + 1)}
    shift = len(after) - len(before)
    found.update({number: number + shift for number in range(len(before) - tail + 1, len(before) + 1)})
    middle = difflib.SequenceMatcher(
        None, before[head : len(before) - tail], after[head : len(after) - tail], autojunk=False
    )
    for block in middle.get_matching_blocks():
        for offset in range(block.size):
            found[head + block.a + offset + 1] = head + block.b + offset + 1
    return found


def _span(span: Span, path: str, lines: Lines) -> Span | None:
    if span.path != path:
        return span
    first, last = lines.get(span.line), lines.get(span.end_line)
    whole = first is not None and all(
        lines.get(number) == first + number - span.line for number in range(span.line, span.end_line + 1)
    )
    return replace(span, line=first, end_line=last) if whole and first and last else None


def _trace(trace: Trace, path: str, lines: Lines) -> Trace:
    reply = trace.reply
    failure = reply.failure
    if failure is not None and failure.span is not None:
        span = _span(failure.span, path, lines)
        calls = [_span(call, path, lines) for call in failure.calls]
        failure = replace(failure, span=span, calls=tuple(call for call in calls if call is not None))
        if span is None:  # the failing line was edited: nobody knows whether it still fails
            failure = replace(failure, stage="cancelled")
    example = trace.example
    written = example.span and _span(example.span, path, lines)
    return replace(
        trace,
        example=replace(example, span=written),
        reply=replace(
            reply,
            bindings=tuple(
                replace(binding, span=span)
                for binding in reply.bindings
                if (span := _span(binding.span, path, lines)) is not None
            ),
            operations=tuple(
                replace(operation, span=span)
                for operation in reply.operations
                if (span := _span(operation.span, path, lines)) is not None
            ),
            reached=tuple(_reached(entry, path, lines) for entry in reply.reached),
            failure=failure,
        ),
    )


def _reached(entry: Reached, path: str, lines: Lines) -> Reached:
    if entry.path != path:
        return entry
    return replace(entry, unreached=tuple(lines[number] for number in entry.unreached if number in lines))


def _module(module: ModuleClass, lines: Lines) -> ModuleClass:
    line = lines[module.line]
    shift = line - module.line
    name = module.name_span
    return replace(
        module,
        line=line,
        end_line=lines.get(module.end_line, module.end_line + shift),
        name_span=replace(name, line=name.line + shift, end_line=name.end_line + shift),
        forward_line=lines.get(module.forward_line) if module.forward_line else None,
    )

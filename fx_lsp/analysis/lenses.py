"""The line above each module class: `i64[2, 16] → f32[2, 16, 50304] · 124.4 M params · 2.8 GFLOPs · from call in
train.py`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from fx_lsp.analysis.calls import Call, of_class
from fx_lsp.analysis.causes import said
from fx_lsp.analysis.costs import cost_of_class
from fx_lsp.analysis.counts import count
from fx_lsp.analysis.coverage import Coverage, coverage
from fx_lsp.analysis.markdown import title
from fx_lsp.analysis.origins import came_from
from fx_lsp.analysis.snapshot import Snapshot, Trace
from fx_lsp.model.span import Span
from fx_lsp.model.trace import ModuleUse
from fx_lsp.model.value import label

MAX_PART = 160
"""Characters of one part of the line."""
MAX_CONSTRAINTS = 4


@dataclass(frozen=True)
class Lens:
    """A line above a class."""

    span: Span
    """The name of the class."""
    title: str
    examples: int = 0
    """How many examples ran through the class, or were meant for it and failed."""
    number: int = 0
    """Which of them is shown, from 1."""
    name: str = ""
    """Qualified name of the class."""
    calls: int = 0
    """How many calls of the class there are with other shapes, in the example that is shown; 0 when there is one."""
    call: int = 0
    """Which of them is shown, from 1."""


def lenses(snapshot: Snapshot) -> tuple[Lens, ...]:
    """One for each class that was called."""
    return tuple(_lens(snapshot, entry) for entry in coverage(snapshot) if entry.use is not None)


def _lens(snapshot: Snapshot, entry: Coverage) -> Lens:
    calls = of_class(snapshot, entry.module.line)
    shown = next((number for number, call in enumerate(calls, 1) if call.shown), 0)
    return Lens(
        entry.module.name_span,
        " · ".join(title(part, MAX_PART) for part in _parts(snapshot, entry, calls[shown - 1] if shown else None)),
        len(entry.examples),
        _number(snapshot, entry),
        entry.module.name,
        len(calls),
        shown,
    )


def _parts(snapshot: Snapshot, entry: Coverage, call: Call | None) -> Iterator[str]:
    if entry.use is None or entry.trace is None:
        return
    if call is not None and call.inputs and call.output is not None and entry.use.module not in call.modules:
        yield f"{', '.join(map(label, call.inputs))} → {label(call.output)}"
        yield from _constraints(entry, entry.trace, snapshot.path)
        yield f"{call.modules[0]} in {_owner(entry.trace)}"
    else:
        inputs = ", ".join(map(label, entry.use.inputs)) or "()"
        yield f"{inputs} → {_output(entry, entry.use)}"
        yield from _constraints(entry, entry.trace, snapshot.path)
        if entry.use.parameters:
            yield f"{count(entry.use.parameters)} params"
        yield from cost_of_class(entry.trace, entry.use)
        if entry.use.module:
            yield f"{entry.use.module} in {_owner(entry.trace)}"
    yield came_from(entry.trace, snapshot.path)


def _constraints(entry: Coverage, trace: Trace, path: str) -> Iterator[str]:
    """What the dims have to be: of the whole example at the class that it calls, else what the class itself imposes."""
    whole = entry.use is not None and not entry.use.module
    lines = range(entry.module.line, entry.module.end_line + 1)
    for one in trace.reply.constraints[:MAX_CONSTRAINTS]:
        if whole or (one.span is not None and one.span.path == path and one.span.line in lines):
            yield one.text


def _number(snapshot: Snapshot, entry: Coverage) -> int:
    shown = next((number for number in entry.examples if snapshot.traces[number] is entry.trace), -1)
    return sorted(entry.examples).index(shown) + 1 if shown != -1 else 0


def _output(entry: Coverage, use: ModuleUse) -> str:
    if use.output is not None:
        return label(use.output)
    if entry.failure is None:
        return "()"
    if entry.trace is not None and entry.trace.example.origin == "inferred":  # our guess: no fault of the code's
        span = entry.failure.span
        return f"as far as line {span.line}" if span is not None else "not to its end"
    return f"fails: {said(entry.failure)}"


def _owner(trace: Trace) -> str:
    """The class whose example made this one run, else the program or the call."""
    if trace.example.origin == "program":
        return os.path.basename(trace.example.scope)
    return trace.example.target or trace.call

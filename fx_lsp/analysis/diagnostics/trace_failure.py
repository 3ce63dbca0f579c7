"""An example fails: on the exact expression, in torch's own words.

An example that the user wrote is the user's statement that it runs, and so is a call of the workspace: its failure is
an error when real tensors failed too.  What fx-lsp tried by itself never makes one.
"""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.snapshot import Problem, Snapshot, Trace
from fx_lsp.model.failure import Failure
from fx_lsp.model.span import Span

STATED = ("directive", "config")
OURS = ("start", "cancelled", "protocol")
"""Stages that say nothing about the code; the server reports them by itself."""


def find(snapshot: Snapshot) -> Iterator[Problem]:
    """One problem for each failed trace whose place is in this file."""
    for trace in snapshot.traces:
        failure = trace.reply.failure
        if failure is None or failure.stage in OURS or _superseded(trace, snapshot):
            continue
        span = _place(trace, failure, snapshot)
        if span is not None and span.path == snapshot.path:
            shown = severity(trace)
            if shown is not None:
                yield Problem(span, shown, RULE.id, _message(failure, span), _related(trace, failure, span))


def severity(trace: Trace) -> str | None:
    """How the failure of a trace is shown; None: not at all, it was our own guess that failed."""
    failure = trace.reply.failure
    if failure is None or failure.stage in OURS:
        return None
    stated = trace.example.origin in STATED
    if not stated and trace.example.origin != "call":
        return None
    if not failure.proven:
        return "warning" if stated and failure.stage in ("timeout", "crash") else "information"
    if stated:
        return "error"
    return "error" if failure.stage == "trace" and failure.span is not None else None


def _superseded(trace: Trace, snapshot: Snapshot) -> bool:
    """A candidate that we tried is forgotten once another one of the same class ran."""
    target = trace.example.target
    if trace.example.origin in STATED or not target:
        return False
    return any(other.reply.failure is None and other.example.target == target for other in snapshot.traces)


def _place(trace: Trace, failure: Failure, snapshot: Snapshot) -> Span | None:
    """The failing expression; without one, where the example is written; else the class it is for."""
    if failure.span is not None:
        return failure.span
    if trace.example.span is not None:
        return trace.example.span
    for module in snapshot.modules:
        if module.name == trace.example.target and trace.example.scope == snapshot.path:
            return module.name_span
    return None


def _message(failure: Failure, span: Span) -> str:
    text = failure.message
    if failure.stage == "timeout":
        return f"the example {text}"
    if not failure.proven:
        return f"could not be traced: {text}"
    return text if failure.span == span else f"the example fails: {text}"


def _related(trace: Trace, failure: Failure, span: Span) -> tuple[tuple[Span, str], ...]:
    calls = [(call, "called from here") for call in reversed(failure.calls) if call != span]
    written = trace.example.span
    example = [(written, f"example ({trace.example.origin}): {trace.call}")] if written and written != span else []
    return tuple(dict.fromkeys([*calls, *example]))


RULE = Rule(id="trace-failure", title="An example fails", find=find)

"""A script that runs up to here and no further, for a reason that is not in its code: data that are not on this disk, a
network, a program that it starts.  What follows has no shapes, and this says why.

Instead: run it with data that are there, or call the model with tensors of their shape.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule, trace_failure
from fx_lsp.analysis.diagnostics.trace_failure import NO_OUTCOME, elsewhere, nearest, severity
from fx_lsp.analysis.notebook import SUFFIX
from fx_lsp.analysis.snapshot import Problem, Snapshot, Trace

_MEANT = ("SystemExit", "KeyboardInterrupt")
"""What a program ends itself with."""


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """Where the failure is not told as one of the code; not in notebooks, of which the rest is run all the same."""
    if snapshot.path.endswith(SUFFIX):
        return
    found = [problem for trace in snapshot.traces for problem in _ended(trace, snapshot, shown)]
    if found:
        told = {problem.span for problem in trace_failure.find(snapshot, shown)}
        yield from (problem for problem in found if problem.span not in told)


def _ended(trace: Trace, snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    failure = trace.reply.failure
    if failure is None or trace.example.origin != "program" or trace.example.scope != snapshot.path:
        return
    if failure.stage in NO_OUTCOME or failure.error in _MEANT or trace.older or severity(trace, snapshot) is not None:
        return
    span = nearest(failure, snapshot, shown)
    if span is not None and span.path == snapshot.path:
        text = f"the program is run up to here: {elsewhere(failure, span)}{failure.message}"
        yield Problem(span, "hint", RULE.id, text)


RULE = Rule(id="program-ended", title="A script that needs what is not here", find=find)

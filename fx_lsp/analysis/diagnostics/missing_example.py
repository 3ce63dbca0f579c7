"""A module class that nothing runs: no call of it was found, or none that works, so nothing can be shown.

Instead: write `# fx: Name(…)(f32[B, …])` above the class, or call it somewhere in the workspace.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.coverage import Coverage, at_import, coverage, definition, lacking
from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics.trace_failure import NO_OUTCOME, severity
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.example import NO_FORWARD


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """Nothing while traces are on their way or nothing can be run at all, or for classes with nothing to run."""
    failures = (trace.reply.failure for trace in snapshot.traces)
    if snapshot.pending or snapshot.stale or any(failure and failure.stage == "start" for failure in failures):
        return
    for entry in coverage(snapshot):
        name = entry.module.name
        if entry.module.abstract or entry.reason == NO_FORWARD or _told(snapshot, entry):
            continue
        reason = (entry.reason or "").rstrip(".")
        if lacking(entry.reason):
            text = f"{name} did not run: {reason}. Install it where the models run, see `fx-lsp doctor`"
        elif at_import(entry.reason):
            text = f"{name} did not run: {reason}"
        elif entry.status == "skipped":
            text = f"{name} has no example: {reason}. Write one above the class: # fx: {name}(…)(…)"
        elif entry.status == "failed":
            text = f"{name} did not run: {reason}. Write an example that runs above the class: # fx: {name}(…)(…)"
        else:
            continue
        yield Problem(entry.module.name_span, "hint", RULE.id, text)


def _told(snapshot: Snapshot, entry: Coverage) -> bool:
    """Whether a mistake in its directive tells why, or a failure that is shown at its place or is not the code's."""
    first = _top(snapshot, entry)
    if any(first <= problem.span.line <= entry.module.end_line for problem in snapshot.problems):
        return True
    traces = [snapshot.traces[number] for number in entry.examples]
    return any(
        trace.reply.failure is not None
        and (trace.reply.failure.stage in NO_OUTCOME or severity(trace, snapshot) is not None)
        for trace in traces
    )


def _top(snapshot: Snapshot, entry: Coverage) -> int:
    """First line of the comments and decorators above the class."""
    node = definition(snapshot, entry.module)
    first = min([entry.module.line, *(decorator.lineno for decorator in (node.decorator_list if node else []))])
    lines = columns(snapshot.text).lines
    while first > 1 and lines[first - 2].lstrip().startswith("#"):
        first -= 1
    return first


RULE = Rule(id="missing-example", title="A module class without an example", find=find)

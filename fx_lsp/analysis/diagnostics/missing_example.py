"""A module class that nothing runs: no call of it was found, so nothing can be shown.

Instead: write `# fx: Name(…)(f32[B, …])` above the class, or call it somewhere in the workspace.
"""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.coverage import coverage
from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics.trace_failure import OURS, severity
from fx_lsp.analysis.snapshot import Problem, Snapshot


def find(snapshot: Snapshot) -> Iterator[Problem]:
    """Nothing while traces are on their way, or for classes with nothing to run."""
    if snapshot.pending or snapshot.stale:
        return
    for entry in coverage(snapshot):
        module = entry.module
        if module.abstract:
            continue
        if entry.status == "skipped":
            text = f"{module.name} has no example: write one above the class as a comment `# fx: {module.name}(…)(…)`"
            yield Problem(module.name_span, "hint", RULE.id, text)
        elif entry.status == "failed" and not _reported(snapshot, module.name):
            text = f"{module.name} could not be run, {entry.reason}; write an example that runs above the class"
            yield Problem(module.name_span, "hint", RULE.id, text)


def _reported(snapshot: Snapshot, name: str) -> bool:
    """Whether the failure of one of its examples is shown where it happens, or is not the code's."""
    failures = [(trace, trace.reply.failure) for trace in snapshot.traces if trace.example.target == name]
    return any(
        failure is not None and (failure.stage in OURS or severity(trace) is not None) for trace, failure in failures
    )


RULE = Rule(id="missing-example", title="A module class without an example", find=find)

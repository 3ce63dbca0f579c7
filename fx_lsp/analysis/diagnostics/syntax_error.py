"""A file that does not parse: nothing of it can be run.

Said of a text that is opened or checked like this, not of one that is being typed: there, what was known stays.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.analysis.source import parsed
from fx_lsp.model.span import Span


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """The first error, as Python words it."""
    if snapshot.pending or snapshot.stale or snapshot.path.endswith(".toml"):
        return
    error = parsed(snapshot.path, snapshot.text).error
    if error is not None:
        span = Span(snapshot.path, error.line, error.column, error.line, error.column + 1)
        yield Problem(span, "error", RULE.id, error.message)


RULE = Rule(id="syntax-error", title="A file that does not parse", find=find)

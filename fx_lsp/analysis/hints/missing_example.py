"""After the name of a module class that no example runs: says so, once and quietly."""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.coverage import coverage
from fx_lsp.analysis.hints import Hint, HintKind
from fx_lsp.analysis.markdown import plain
from fx_lsp.analysis.snapshot import Snapshot


def find(snapshot: Snapshot) -> Iterator[Hint]:
    """Nothing while traces are on their way, or for classes with nothing to run."""
    if snapshot.pending or snapshot.stale:
        return
    for entry in coverage(snapshot):
        if entry.status == "skipped" and not entry.module.abstract:
            text = f"{plain(entry.module.name)}: {plain(entry.reason or '')}. Add a comment `# fx: …` above the class."
            yield Hint(entry.module.name_span, entry.module.name, "no example", HINT.id, tooltip=text)


HINT = HintKind(id="missing_example", title="Classes without an example", find=find)

"""An import of a package that is not installed where the models run, or that fails there: a warning, since the rest of
the file was run without it.

    import einops            # No module named 'einops'

Whatever uses it fails, and says so at its place.  Instead: install it, or choose another interpreter.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.snapshot import Problem, Snapshot

MORE = "The file is run without it"
WHERE = "Install it where the models run, see `fx-lsp doctor`"


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each import of this file, or that leads from here to one of a file that nobody looks at."""
    found: dict[object, Problem] = {}
    for trace in snapshot.traces:
        for failure in () if trace.older else trace.reply.missing:
            places = (failure.span, *reversed(failure.calls))
            known = (one for one in places if one is not None and (one.path == snapshot.path or one.path in shown))
            span = next(known, None)
            if failure.span is None or span is None or span.path != snapshot.path:
                continue
            inside = span != failure.span
            more = f"{MORE}. {WHERE}" if failure.error == "ModuleNotFoundError" else MORE
            text = f"in {os.path.basename(failure.span.path)}, line {failure.span.line}: " if inside else ""
            related = ((failure.span, "raised here"),) if inside else ()
            found.setdefault(span, Problem(span, "warning", RULE.id, f"{text}{failure.message}. {more}", related))
    yield from found.values()


RULE = Rule(id="package-missing", title="A package that is not installed", find=find)

"""An import of a package that is not installed where the models run, or of a name that is not there: a warning, since
the rest of the file was run without it; an error where a file beside it has no such name, as then it fails everywhere.

    import einops              # No module named 'einops'
    from layers import Gate    # cannot import name 'Gate' from 'layers'

Whatever uses it fails, and says so at its place.  Instead: install it, choose another interpreter, or write it.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics.trace_failure import elsewhere, nearest
from fx_lsp.analysis.snapshot import Problem, Snapshot

MORE = "The file is run without it"
WHERE = "Install it where the models run, see `fx-lsp doctor`"


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each import of this file, or that leads from here to one of a file that nobody looks at."""
    found: dict[object, Problem] = {}
    for trace in snapshot.traces:
        for failure in () if trace.older else trace.reply.missing:
            span = nearest(failure, snapshot, shown)
            if failure.span is None or span is None or span.path != snapshot.path:
                continue
            installable = failure.error == "ModuleNotFoundError" and not failure.proven
            more = f"{MORE}. {WHERE}" if installable else MORE
            text = f"{elsewhere(failure, span)}{failure.message}. {more}"
            related = ((failure.span, "raised here"),) if span != failure.span else ()
            found.setdefault(span, Problem(span, "error" if failure.proven else "warning", RULE.id, text, related))
    yield from found.values()


RULE = Rule(id="package-missing", title="A package or a name that cannot be imported", find=find)

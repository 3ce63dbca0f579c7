"""What is known about the class whose name is under the cursor: its call, what that costs, what its dims have to be."""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.costs import in_words, of_module
from fx_lsp.analysis.counts import count
from fx_lsp.analysis.coverage import Coverage, coverage
from fx_lsp.analysis.hints import sources
from fx_lsp.analysis.markdown import code
from fx_lsp.analysis.naming import imposed
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.analysis.variants import sizes
from fx_lsp.model.span import Span
from fx_lsp.model.value import label


def of_class(snapshot: Snapshot, line: int, column: int) -> tuple[str, Span] | None:
    """Markdown about the class whose name is there, and the name, where a run of it came to its end."""
    for entry in coverage(snapshot):
        if entry.module.name_span.contains(line, column) and entry.use is not None and entry.use.output is not None:
            return "\n\n".join(_paragraphs(snapshot, entry)), entry.module.name_span
    return None


def _paragraphs(snapshot: Snapshot, entry: Coverage) -> Iterator[str]:
    use, trace = entry.use, entry.trace
    if use is None or use.output is None or trace is None:
        return
    number = next(number for number, one in enumerate(snapshot.traces) if one is trace)
    inputs = ", ".join(map(label, use.inputs)) or "()"
    facts = [code(f"{inputs} → {label(use.output)}"), *sizes(use.output)]
    if use.parameters:
        facts.append(f"{count(use.parameters)} params")
    if use.module:
        facts.append(f"in {code(use.module)}")
    yield f"**{code(entry.module.name)}**"
    yield "- " + " · ".join(facts)
    yield from imposed((*use.inputs, use.output), snapshot, [number])
    costs = trace.reply.costs
    found = of_module(costs, use) if costs is not None else None
    if costs is not None and found is not None:
        yield from in_words(found.total, found.formula, costs)
    yield from sources(snapshot, [number])

"""At the ends of lines: what they cost, `8.1 GFLOPs · 34 %`."""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.costs import of_lines, operations, share
from fx_lsp.analysis.hints import Hint, HintKind
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.span import Span


def find(snapshot: Snapshot) -> Iterator[Hint]:
    """One for each line that computes something."""
    lines = columns(snapshot.text).lines
    for line, (number, cost, costs) in of_lines(snapshot).items():
        if cost.flops and line <= len(lines):
            end = len(lines[line - 1].rstrip("\r\n").encode("utf-8", "surrogatepass"))
            label = f"{operations(cost.flops)} · {share(cost.flops, costs.total.flops)}"
            span = Span(snapshot.path, line, end, line, end)
            yield Hint(span, "", label, HINT.id, (), (number,), snapshot.traces[number].older)


HINT = HintKind(id="cost", title="Costs of lines", find=find)

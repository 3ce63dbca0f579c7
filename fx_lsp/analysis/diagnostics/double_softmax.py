"""A softmax of a softmax over the same dim: what is between 0 and 1 comes out almost equal everywhere.

    probs = self.softmax(self.head(x))
    return F.softmax(probs, dim=-1)

Instead: one of them; of a log-softmax take `exp()`, and of a softmax `log()`.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._flows import argument, calls_of, dim_of, flows, inputs_of, place_of, softmax_of
from fx_lsp.analysis.snapshot import Problem, Snapshot

_SECOND = frozenset({"softmax", "log_softmax", "Softmax", "LogSoftmax"})


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each second one, unless it is known to be over another dim."""
    for flow in flows(snapshot, _SECOND):
        for term, _ in calls_of(flow, _SECOND):
            first = softmax_of(flow, argument(term, 0, "input"))
            place = place_of(flow, term)
            if first is None or place is None:
                continue
            rank = next((len(one.shape) for one in inputs_of(flow, term)), None)
            dims = dim_of(first, rank), dim_of(term, rank)
            if dims[0] is not None and dims[0] == dims[1]:
                before = place_of(flow, first)
                related = ((before, "the first softmax"),) if before is not None else ()
                yield Problem(place, "warning", RULE.id, "this takes a softmax of what is a softmax already", related)


RULE = Rule(id="double-softmax", title="A softmax of a softmax", find=find)

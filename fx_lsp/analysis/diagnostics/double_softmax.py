"""A softmax of a softmax over the same dim: what is between 0 and 1 comes out almost equal everywhere.

    probs = self.softmax(self.head(x))
    return F.softmax(probs, dim=-1)

Instead: one of them; of a log-softmax take `exp()`, and of a softmax `log()`.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._flows import argument, calls_of, dim_of, flows, inputs_of, place_of, softmax_of
from fx_lsp.analysis.diagnostics._lineage import besides, lineages
from fx_lsp.analysis.snapshot import Problem, Snapshot

_SECOND = frozenset({"softmax", "log_softmax", "Softmax", "LogSoftmax"})
_MESSAGE = "this takes a softmax of what is a softmax already"


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each second one, if it is known to be over the same dim."""
    yield from besides(_written(snapshot), _ran(snapshot))


def _ran(snapshot: Snapshot) -> Iterator[Problem]:
    for one in lineages(snapshot, {"softmax", "log_softmax", "logsumexp"}, {"softmax"}):
        if one.target == "logsumexp" or (len(one.sizes) > 1 and one.sizes[0] == one.sizes[1] != 0):
            yield Problem(one.span, "warning", RULE.id, _MESSAGE, ((one.source, "the first softmax"),))


def _written(snapshot: Snapshot) -> Iterator[Problem]:
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
                yield Problem(place, "warning", RULE.id, _MESSAGE, related)


RULE = Rule(id="double-softmax", title="A softmax of a softmax", find=find, any_inputs=True)

"""`cross_entropy` of probabilities: it takes a softmax itself, so there are two of them, and little is learned.

    probs = F.softmax(self.head(x), dim=-1)
    loss = F.cross_entropy(probs, target)

Instead: give it what the softmax is given.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._flows import argument, calls_of, flows, place_of, softmax_of
from fx_lsp.analysis.diagnostics._lineage import besides, lineages
from fx_lsp.analysis.snapshot import Problem, Snapshot

_LOSSES = frozenset({"cross_entropy", "CrossEntropyLoss"})
_MESSAGE = "this takes a softmax of what is a softmax already"


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each call whose first argument is a softmax, wherever that was taken."""
    yield from besides(_written(snapshot), _ran(snapshot))


def _ran(snapshot: Snapshot) -> Iterator[Problem]:
    for one in lineages(snapshot, {"cross_entropy"}, {"softmax"}):
        yield Problem(one.span, "warning", RULE.id, _MESSAGE, ((one.source, "the first softmax"),))


def _written(snapshot: Snapshot) -> Iterator[Problem]:
    for flow in flows(snapshot, _LOSSES):
        for term, _ in calls_of(flow, _LOSSES):
            found = softmax_of(flow, argument(term, 0, "input"))
            place = place_of(flow, term)
            first = place_of(flow, found) if found is not None else None
            if place is not None and first is not None:
                yield Problem(place, "warning", RULE.id, _MESSAGE, ((first, "the first softmax"),))


RULE = Rule(id="softmax-before-cross-entropy", title="Two softmaxes in a row", find=find, any_inputs=True)

"""A loss that takes a sigmoid itself, of what is a sigmoid already: it sees logits between 0 and 1 and hardly learns.

    loss = F.binary_cross_entropy_with_logits(torch.sigmoid(x), target)

Instead: give it what the sigmoid is given, or take `binary_cross_entropy`.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._flows import argument, calls_of, flows, place_of, softmax_of
from fx_lsp.analysis.diagnostics._lineage import besides, lineages
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.span import Span

_LOSSES = frozenset({"binary_cross_entropy_with_logits", "BCEWithLogitsLoss", "multilabel_soft_margin_loss",
                     "MultiLabelSoftMarginLoss"})  # fmt: skip


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each call whose first argument is a sigmoid or a softmax, wherever that was taken."""
    yield from besides(_written(snapshot), _ran(snapshot))


def _ran(snapshot: Snapshot) -> Iterator[Problem]:
    for one in lineages(snapshot, _LOSSES, {"sigmoid", "softmax"}):
        yield _problem(one.span, one.made, one.source)


def _problem(place: Span, name: str, first: Span) -> Problem:
    message = f"this takes a sigmoid of what is a {name} already"
    return Problem(place, "warning", RULE.id, message, ((first, f"the {name}"),))


def _written(snapshot: Snapshot) -> Iterator[Problem]:
    for flow in flows(snapshot, _LOSSES):
        for term, _ in calls_of(flow, _LOSSES):
            given = argument(term, 0, "input")
            place = place_of(flow, term)
            for name in ("sigmoid", "softmax"):
                found = softmax_of(flow, given, name)
                first = place_of(flow, found) if found is not None else None
                if place is not None and first is not None:
                    yield _problem(place, name, first)


RULE = Rule(id="sigmoid-before-logits", title="A loss of logits given probabilities", find=find, any_inputs=True)

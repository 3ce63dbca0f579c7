"""A loss of logarithms given probabilities, or what no softmax has seen: it runs, and can be made smaller for ever.

    loss = F.nll_loss(F.softmax(x, dim=1), target)
    loss = F.kl_div(F.softmax(x, dim=1), wanted)

Instead: `F.log_softmax(x, dim=1)`; for `nll_loss` also `F.cross_entropy(x, target)`.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._flows import argument, calls_of, flows, made, place_of, softmax_of
from fx_lsp.analysis.diagnostics._lineage import besides, lineages
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.span import Span

_LOSSES = frozenset({"nll_loss", "NLLLoss", "kl_div", "KLDivLoss", "ctc_loss", "CTCLoss"})
_RAW = frozenset({"linear", "Linear", "Conv1d", "Conv2d", "Conv3d"})
"""Layers whose outputs may be of any size and sign."""


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each call whose first argument is a softmax or what a layer gives, wherever that was made."""
    yield from besides(_written(snapshot), _ran(snapshot))


def _ran(snapshot: Snapshot) -> Iterator[Problem]:
    what = {"softmax": "a softmax", "linear": "what a linear layer gives", "conv": "what a convolution gives"}
    for one in lineages(snapshot, _LOSSES, what.keys()):
        yield _problem(one.span, what[one.made], one.source)


def _problem(place: Span, what: str, first: Span) -> Problem:
    message = f"this takes logarithms of probabilities, and is given {what}"
    return Problem(place, "warning", RULE.id, message, ((first, "made here"),))


def _written(snapshot: Snapshot) -> Iterator[Problem]:
    for flow in flows(snapshot, _LOSSES):
        for term, _ in calls_of(flow, _LOSSES):
            given = argument(term, 0, "log_probs" if term.op in ("ctc_loss", "CTCLoss") else "input")
            found, raw = softmax_of(flow, given), made(flow, given)
            if found is None and raw is not None and raw.op in _RAW:
                found = raw
            place, first = place_of(flow, term), place_of(flow, found) if found is not None else None
            if place is not None and first is not None and found is not None:
                what = "a softmax" if found.op == "softmax" else f"what `{found.op}` gives"
                yield _problem(place, what, first)


RULE = Rule(
    id="probabilities-without-log", title="A loss of logarithms given something else", find=find, any_inputs=True
)

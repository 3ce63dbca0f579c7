"""A softmax of one score: it is 1 whatever the score is, and nothing is learned.

    self.head = nn.Linear(512, 1)
    return F.softmax(self.head(x), dim=-1)
    loss = F.cross_entropy(self.head(x), target)  # always 0

Instead: `torch.sigmoid` or `binary_cross_entropy_with_logits`; or another dim, or two scores.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._flows import argument, calls_of, dim_of, flows, inputs_of, layer_of, made, place_of
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import Term
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.value import label

_SOFTMAX = frozenset({"softmax", "log_softmax", "Softmax", "LogSoftmax"})
_LOSSES = frozenset({"cross_entropy", "CrossEntropyLoss"})


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each over a dim of which a `Linear` says that it has one place."""
    for flow in flows(snapshot, _SOFTMAX | _LOSSES):
        for term, _ in calls_of(flow, _SOFTMAX | _LOSSES):
            x, place = next(iter(inputs_of(flow, term)), None), place_of(flow, term)
            rank = len(x.shape) if x is not None else 0
            is_loss = term.op in _LOSSES
            dim = (1 - rank if rank == 2 else None) if is_loss else dim_of(term, rank)
            if x is None or place is None or dim != -1 or x.shape[-1] != 1:
                continue
            layer = made(flow, argument(term, 0, "input"))
            if layer is not None and _gives_one(flow, layer):
                what = (
                    "the loss is always 0" if is_loss else f"this is always {1 if 'log' not in term.op.lower() else 0}"
                )
                related = ((first, "one feature"),) if (first := place_of(flow, layer)) is not None else ()
                yield Problem(place, "warning", RULE.id, f"{label(x)} is one score: {what}", related)


def _gives_one(flow: Flow, term: Term) -> bool:
    """Whether it is a call of a `Linear` whose `out_features` are written as 1."""
    layer = layer_of(flow, term)
    if term.op != "Linear" or layer is None:
        return False
    sizes = [*layer.args[1:2], *(one.value for one in layer.keywords if one.arg == "out_features")]
    return [getattr(one, "value", None) for one in sizes] == [1]


RULE = Rule(id="softmax-of-one", title="A softmax of one score", find=find)

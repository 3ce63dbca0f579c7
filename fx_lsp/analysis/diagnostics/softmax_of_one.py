"""A softmax of one score: it is 1 whatever the score is, and nothing is learned.

    self.head = nn.Linear(512, 1)
    return F.softmax(self.head(x), dim=-1)
    loss = F.cross_entropy(self.head(x), target)  # always 0

Instead: `torch.sigmoid` or `binary_cross_entropy_with_logits`; or another dim, or two scores.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._flows import (
    argument,
    calls_of,
    dim_of,
    file_of,
    flows,
    inputs_of,
    layer_of,
    made,
    place_of,
)  # fmt: skip
from fx_lsp.analysis.diagnostics._lineage import besides, lineages
from fx_lsp.analysis.diagnostics._operations import calls
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import Term
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.span import Span
from fx_lsp.model.value import label

_SOFTMAX = frozenset({"softmax", "log_softmax", "Softmax", "LogSoftmax"})
_LOSSES = frozenset({"cross_entropy", "CrossEntropyLoss"})
_OUT = ("out_features", "out_channels")


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each over a dim of which a `Linear` or a convolution says that it has one place."""
    yield from besides(_written(snapshot), _ran(snapshot))


def _ran(snapshot: Snapshot) -> Iterator[Problem]:
    for one in lineages(snapshot, {"softmax", "log_softmax"}, {"linear", "conv"}):
        same = len(one.sizes) > 2 and one.sizes[0] == one.sizes[1] != 0 and one.sizes[2] == 1
        if same and one.source.path == snapshot.path and _is_written(snapshot, one.source):
            message = f"this is of one score: this is always {1 if one.target == 'softmax' else 0}"
            yield Problem(one.span, "warning", RULE.id, message, ((one.source, "one feature"),))


def _is_written(snapshot: Snapshot, place: Span) -> bool:
    """Whether a layer is called there whose `out_features` or `out_channels` are written as 1."""
    file, call = file_of(snapshot), calls(snapshot.path, snapshot.text).get(place)
    name = call.func.attr if call is not None and isinstance(call.func, ast.Attribute) else ""
    around = (one for one in file.functions() if one[0].lineno <= place.line <= (one[0].end_lineno or 0))
    layer = file.layers(next((owner for _, owner in around), None)).get(name)
    while layer is not None and file.dotted(layer.func) == "torch.nn.Sequential":
        # What comes after the layer, the softmax itself, has no features of its own.
        inside = [one for one in layer.args if isinstance(one, ast.Call)]
        layer = next((one for one in reversed(inside) if _features(one)), None)
    return layer is not None and _features(layer) == [1]


def _features(layer: ast.Call) -> list[object]:
    sizes = [*layer.args[1:2], *(one.value for one in layer.keywords if one.arg in _OUT)]
    return [getattr(one, "value", None) for one in sizes]


def _written(snapshot: Snapshot) -> Iterator[Problem]:
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
    return term.op == "Linear" and layer is not None and _features(layer) == [1]


RULE = Rule(id="softmax-of-one", title="A softmax of one score", find=find)

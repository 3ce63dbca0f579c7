"""A normalisation of one number: it is 0, or its bias, whatever it was; a batch norm cannot be trained on it.

    x = self.pool(x)  # AdaptiveAvgPool2d(1): f32[B, 64, 1, 1]
    return self.norm(x)  # GroupNorm(64, 64)

Instead: normalise before the pooling, or with fewer groups.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._flows import (
    argument,
    calls_of,
    file_of,
    flows,
    inputs_of,
    layer_of,
    made,
    operation_of,
    place_of,
)  # fmt: skip
from fx_lsp.analysis.diagnostics._lineage import besides, lineages
from fx_lsp.analysis.diagnostics._operations import calls
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import Term, plain
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.value import TensorType, label

_BATCH = frozenset({"BatchNorm1d", "BatchNorm2d", "BatchNorm3d"})
_NORMS = _BATCH | {"GroupNorm", "LayerNorm"}
_POOLS = ("adaptiveavgpool", "adaptivemaxpool")
_SIZED = frozenset({"interpolate", "upsample", "Upsample", "pad"})
"""What somebody else says the size of."""


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each whose groups have one number whatever the batch is."""
    yield from besides(_written(snapshot), _ran(snapshot))


def _ran(snapshot: Snapshot) -> Iterator[Problem]:
    """A `LayerNorm` of one number, by itself or among others, whose size is written as 1."""
    file = file_of(snapshot)
    for one in lineages(snapshot, {"layer_norm"}, {"one"}):
        call = calls(snapshot.path, snapshot.text).get(one.span)
        name = call.func.attr if call is not None and isinstance(call.func, ast.Attribute) else ""
        around = (part for part in file.functions() if part[0].lineno <= one.span.line <= (part[0].end_lineno or 0))
        layer = file.layers(next((owner for _, owner in around), None)).get(name)
        written = [node for part in (call, layer) if part is not None for node in ast.walk(part)]
        if any(isinstance(node, ast.Call) and _is_of_one(node) for node in written):
            yield Problem(one.span, "warning", RULE.id, "this normalises each number by itself")


def _is_of_one(call: ast.Call) -> bool:
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    sizes = [*call.args[1:2]] if name == "layer_norm" else [*call.args[:1]] if name == "LayerNorm" else []
    sizes += [one.value for one in call.keywords if one.arg == "normalized_shape"]
    parts = [part for size in sizes for part in (size.elts if isinstance(size, ast.List | ast.Tuple) else [size])]
    return len(parts) == 1 and isinstance(parts[0], ast.Constant) and parts[0].value == 1


def _written(snapshot: Snapshot) -> Iterator[Problem]:
    for flow in flows(snapshot, _NORMS):
        for term, _ in calls_of(flow, _NORMS):
            taken, place = _taken(flow, term), place_of(flow, term)
            if not taken or place is None or any(len(one.shape) < 2 for one in taken):
                continue
            x, given, single = taken[0], made(flow, argument(term, 0, "input")), all(map(_is_single_place, taken))
            if term.op in _BATCH and single and all(one.shape[0] == 1 for one in taken) and _is_single(flow, given):
                yield Problem(place, "warning", RULE.id, f"{label(x)} has one number a channel: this cannot be trained")
            elif term.op not in _BATCH and _is_alone(
                flow, term, given, single, all(len(one.shape) == 2 for one in taken)
            ):
                yield Problem(place, "warning", RULE.id, f"this normalises each number of {label(x)} by itself")


def _taken(flow: Flow, term: Term) -> list[TensorType]:
    """What an operation took, each time it ran; none where that was no tensor, or more than one."""
    operation = operation_of(flow, term)
    variants = operation.variants if operation is not None else ()
    found = [[one for one in variant.inputs if isinstance(one, TensorType)] for variant in variants]
    return [one[0] for one in found] if all(len(one) == 1 for one in found) else []


def _is_single_place(x: TensorType) -> bool:
    return math.prod(x.shape[2:]) == 1


def _is_single(flow: Flow, term: Term | None) -> bool:
    """Whether its first dim was added, so that it is 1 for every batch."""
    if term is None or not term.args:
        return False
    if term.op == "unsqueeze":
        return plain(term.get(1, "dim")) == 0
    if term.op in ("mean", "sum", "amax"):
        return plain(term.get(1, "dim")) in (
            0,
            -len(inputs_of(flow, term)[0].shape) if inputs_of(flow, term) else 0,
        ) and bool(plain(term.get(2, "keepdim")))
    index = term.args[1] if term.op == "getitem" and len(term.args) == 2 else None
    return index is not None and index.op == "constant" and index.value[1] is None


def _is_alone(flow: Flow, norm: Term, given: Term | None, single: bool, flat: bool) -> bool:
    """Whether a `LayerNorm` has a size that is written as 1, or each channel a group that a pooling leaves one place,
    or that has none."""
    layer = layer_of(flow, norm)
    if layer is None or not layer.args or (layer.keywords and norm.op == "LayerNorm"):
        return False
    if norm.op == "LayerNorm":
        return isinstance(layer.args[0], ast.Constant) and layer.args[0].value == 1
    each = len(layer.args) > 1 and ast.dump(layer.args[0]) == ast.dump(layer.args[1])
    return each and (flat or (single and _is_pooled(flow, given)))


def _is_pooled(flow: Flow, term: Term | None) -> bool:
    """Whether a pooling has left one place of each channel, whatever layers changed their numbers since."""
    while term is not None and not term.op.lower().replace("_", "").startswith(_POOLS):
        given = _taken(flow, term)
        alone = all(len(one.shape) > 2 and _is_single_place(one) for one in given)
        if not given or not alone or term.op in _SIZED:
            return False
        term = made(flow, argument(term, 0, "input"))
    layer = layer_of(flow, term) if term is not None else None
    size = next(iter(layer.args), None) if layer is not None else None
    if layer is None and term is not None:
        size = getattr(term.get(1, "output_size"), "node", None)
    sizes = size.elts if isinstance(size, ast.Tuple | ast.List) else [size]
    return all(isinstance(one, ast.Constant) and one.value == 1 for one in sizes)


RULE = Rule(id="norm-of-one", title="A normalisation of one number", find=find)

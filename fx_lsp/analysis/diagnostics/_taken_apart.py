"""Views that take two dims apart, and put another one between them: samples with the places of other samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set

from fx_lsp.analysis.diagnostics._channels import sizes_of
from fx_lsp.analysis.diagnostics._flows import calls_of, made, operation_of
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import Term
from fx_lsp.model.value import TensorType

_IN_ORDER = frozenset({"unflatten", "flatten", "getitem", "index_select", "gather", "take_along_dim", "transpose",
                       "permute", "rearrange", "cat", "stack", "view", "reshape"})  # fmt: skip
"""What may have put the rows in the order that is taken apart."""


def is_taken_apart(flow: Flow, view: Term, names: Set[str]) -> bool:
    """Whether it is of a tensor that another view of the function has made, by those sizes, with two of the dims joined
    that are not next to each other in this one: `h.view(b, k, t, d)` after `x.reshape(b * t, k, d)`."""
    sizes, given = [one.value for one in sizes_of(view) if one.op == "name"], _shapes(flow, view, given=True)
    if len(sizes) != len(sizes_of(view)) or len({*sizes}) != len(sizes) or not given:
        return False
    last = made(flow, view.args[0])
    if last is not None and last.op in _IN_ORDER:
        return False
    taken = _shapes(flow, view, given=False)
    if any(len({*shape}) != len(shape) or min(shape) < 2 for shape in taken):
        return False  # another order may be meant, of dims of the same size
    joined = [
        other for other, _ in calls_of(flow, names) if other is not view and _shapes(flow, other, given=False) == given
    ]
    orders = [_parts(other) for other in joined]
    return bool(orders) and all(Counter(one) == Counter(sizes) and one != sizes for one in orders)


def _shapes(flow: Flow, view: Term, given: bool) -> Sequence[tuple[int, ...]]:
    operation = operation_of(flow, view)
    values = [one.inputs[0] if given else one.output for one in operation.variants if one.inputs] if operation else []
    shapes = [one.shape for one in values if isinstance(one, TensorType)]
    return shapes if len(shapes) == len(values) else []


def _parts(view: Term) -> list[object]:
    """What its sizes are made of, in order; nothing where that is not only names."""
    parts = [part for one in sizes_of(view) for part in (one.args if one.op == "mul" else (one,))]
    return [one.value for one in parts] if all(one.op == "name" for one in parts) else []

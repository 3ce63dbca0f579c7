"""Tensors that differ in another dim than the one they are joined along.

    y = torch.cat([up, skip], dim=1)  # f32[8, 64, 55, 55] and f32[8, 64, 56, 56]

Instead: crop, pad or resize one of them first; `stack` wants all sizes equal.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call
from fx_lsp.model.failure import JOINS
from fx_lsp.model.value import Group, TensorType, label


def explain(call: Call) -> str | None:
    """From the sizes of all."""
    given = call.operand(0, "tensors")
    if given is None or not isinstance(given.value, Group):
        return None
    tensors = [one for one in given.value.items if isinstance(one, TensorType)]
    if len(tensors) < len(given.value.items):
        return None
    dim = call.plain(1, "dim", "axis")
    dim = dim if isinstance(dim, int) else 0
    dim = 1 if call.target in _BESIDE and tensors and len(tensors[0].shape) > 1 else dim
    stacked = call.target == "stack"
    for number, one in enumerate(tensors[1:], 1):
        first = tensors[0].shape
        if len(one.shape) != len(first):
            found = f"{len(first)} dims in {label(tensors[0])} and {len(one.shape)} in {label(one)}"
            return f"{call.name} joins what has equal dims: {found}, number {number} of what it gets"
        along = -1 if stacked else dim % len(first) if first else 0
        for place, (left, right) in enumerate(zip(first, one.shape, strict=True)):
            if left != right and place != along:
                how = "which takes equal sizes" if stacked else f"which joins them along dim {along}"
                return (
                    f"dim {place} is {left} in {label(tensors[0])} and {right} in {label(one)}, number {number} of what"
                    f" {call.name} gets, {how}"
                )
    return None


_BESIDE = ("hstack", "column_stack")
"""They join along dim 1."""
TARGETS = {*JOINS, *_BESIDE}
CAUSE = Cause("cat-sizes", "Joining what differs elsewhere", TARGETS, explain)

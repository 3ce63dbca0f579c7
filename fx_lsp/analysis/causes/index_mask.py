"""A mask with other sizes than what it chooses from.

    y = x[mask]  # f32[8, 10, 64] and b8[8, 9]

Instead: a mask has the sizes of the dims that it stands for, from the first one on: b8[8, 10].
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call
from fx_lsp.model.value import Group, Opaque, TensorType, label


def explain(call: Call) -> str | None:
    """From the sizes of the dims that each mask stands for."""
    x, index = call.operand(0), call.operand(1)
    if x is None or x.shape is None or index is None:
        return None
    dim = 0
    for part in index.value.items if isinstance(index.value, Group) else (index.value,):
        if isinstance(part, Opaque) and part.text == "Ellipsis":
            return None
        if not isinstance(part, TensorType) or part.dtype != "b8":
            dim += not (isinstance(part, Opaque) and part.text == "None")
            continue
        has = x.shape[dim : dim + len(part.shape)]
        if has != part.shape:
            where = f"dim {dim}" if len(part.shape) == 1 else f"the dims from {dim} on"
            called = index.called("the mask") if part is index.value else "the mask"
            return f"{called} ({label(part)}) chooses from {where} of {x.known()}, {list(has)}"
        dim += len(part.shape)
    return None


CAUSE = Cause("index-mask", "A mask of other sizes", {"getitem", "setitem"}, explain)

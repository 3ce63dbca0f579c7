"""An index of floats.

    y = table[positions / 2]  # f32[8, 10]

Instead: whole numbers, `positions // 2` or `positions.long()`; a mask of numbers as one of bools, `mask.bool()`.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call
from fx_lsp.model.value import Group, TensorType, label


def explain(call: Call) -> str | None:
    """From the first part of the index that is a tensor of floats."""
    index = call.operand(1)
    if index is None:
        return None
    parts = index.value.items if isinstance(index.value, Group) else (index.value,)
    wrong = next((one for one in parts if isinstance(one, TensorType) and one.dtype.startswith(("f", "bf"))), None)
    if wrong is None:
        return None
    called = index.called("the index") if wrong is index.value else f"number {parts.index(wrong)} of the index"
    return f"an index takes whole numbers or bools, and {called} ({label(wrong)}) holds {wrong.dtype}"


CAUSE = Cause("index-dtype", "An index of floats", {"getitem", "setitem", "index_put"}, explain)

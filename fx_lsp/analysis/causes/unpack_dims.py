"""Sizes or results unpacked into more or fewer names than there are.

    b, c, h, w = x.shape  # x is f32[8, 10, 64]
    q, k = self.qkv(x).chunk(3, dim=-1)

Instead: name all that are there, or add the dim that is missing before.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, Operand
from fx_lsp.model.value import Group, Opaque, TensorType


def explain(call: Call) -> str | None:
    """From the number of names."""
    x, names = call.operand(0), call.operand(1)
    wanted = names.plain if names is not None else None
    if x is None or names is None or not isinstance(wanted, int):
        return None
    left = names.called("the left side")
    if call.target == "parts":
        given = parts(x)
        if isinstance(x.value, Opaque):
            return f"{x.called('the right side')} gives another number of results, and {left} takes {wanted}"
        if given is None or given == wanted:
            return None
        what, right = f"gives {given}: {x.label}", x.called("the right side")
        if x.shape:
            what, right = f"has {given} in its first dim", x.known("the right side")
        return f"{right} {what}, and {left} takes {wanted}"
    if x.shape is None or len(x.shape) == wanted:
        return None
    return f"{x.known()} has {len(x.shape)} dims, and {left} takes {wanted}"


def parts(given: Operand) -> int | None:
    """How many there are; None for what has none."""
    if isinstance(given.value, TensorType):
        return given.value.shape[0] if given.value.shape else None
    return len(given.value.items) + given.value.omitted if isinstance(given.value, Group) else None


CAUSE = Cause("unpack-dims", "Sizes or results unpacked into another number of names", {"unpack", "parts"}, explain)

"""Sizes unpacked into more or fewer names than there are dims.

    b, c, h, w = x.shape  # x is f32[8, 10, 64]

Instead: name the dims that are there, or add the one that is missing before.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call


def explain(call: Call) -> str | None:
    """From the number of names."""
    x, names = call.operand(0), call.operand(1)
    wanted = names.plain if names is not None else None
    if x is None or names is None or x.shape is None or not isinstance(wanted, int) or len(x.shape) == wanted:
        return None
    return f"{x.known()} has {len(x.shape)} dims, and {names.called('the left side')} takes {wanted}"


CAUSE = Cause("unpack-dims", "Sizes unpacked into another number of names", {"unpack"}, explain)

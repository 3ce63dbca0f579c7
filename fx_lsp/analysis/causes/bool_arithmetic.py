"""A mask of bools is subtracted, or has its sign turned.

    hidden = 1 - mask  # b8[8, 10]

Instead: `~mask`, or numbers, `1 - mask.float()`.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call


def explain(call: Call) -> str | None:
    """From the first operand of bools."""
    mask = next((one for one in call.tensors if one.dtype == "b8"), None)
    if mask is None:
        return None
    return f"{call.name} takes numbers, and {mask.known('its operand')} holds bools: `~` turns them around"


CAUSE = Cause(
    "bool-arithmetic", "Arithmetic with bools", {"sub", "rsub", "isub", "subtract", "neg", "negative"}, explain
)

"""A view with another number of elements, or of what does not lie in one piece.

    y = x.view(x.size(0), 512)  # x is f32[8, 64, 7, 7]

Instead: let one size be `-1`; `reshape` copies where `view` cannot.
"""

from __future__ import annotations

import math

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call


def explain(call: Call) -> str | None:
    """From the sizes that are wanted."""
    x, sizes = call.operand(0, "input"), call.numbers("shape", "size")
    if call.target == "view_as":
        sizes = [*(call.shape(1, "other") or ())]
    if x is None or x.shape is None or not sizes:
        return None
    has, known = math.prod(x.shape), math.prod(size for size in sizes if size != -1)
    if sizes.count(-1) > 1:
        return f"{call.name} can work out one size, and {sizes} leaves {sizes.count(-1)} open"
    if -1 in sizes and (known == 0 or has % known):
        return f"{x.known()} has {has} elements, which {known} does not divide: {call.name} to {sizes}"
    if -1 not in sizes and has != known:
        return f"{x.known()} has {has} elements, and {sizes} has {known}"
    if call.target in ("view", "view_as"):
        return (
            f"{x.known()} does not lie in one piece in this order: its dims were moved; `reshape` copies, `view` cannot"
        )
    return None


CAUSE = Cause("view-elements", "A view that cannot be", {"view", "view_as", "reshape"}, explain)

"""A matrix product of sizes that do not fit.

    scores = q @ k  # both are f32[2, 10, 64]

Instead: the last dim of the left one is that before the last of the right one, `q @ k.transpose(-2, -1)`.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, Operand

PLACES = {"matmul": (0, 1), "mm": (0, 1), "bmm": (0, 1), "mv": (0, 1), "dot": (0, 1), "rmatmul": (1, 0),
           "imatmul": (0, 1), "addmm": (1, 2), "baddbmm": (1, 2)}  # fmt: skip
"""Where both matrices are among the arguments."""
RANKS = {"bmm": 3, "mm": 2, "baddbmm": 3, "addmm": 2, "dot": 1}
"""Dims of both, where it takes no others."""


def explain(call: Call) -> str | None:
    """From the sizes."""
    left, right = (call.operand(place) for place in PLACES[call.target])
    if left is None or right is None or left.shape is None or right.shape is None:
        return None
    if len(left.shape) == 0 or len(right.shape) == 0:
        scalar = left if len(left.shape) == 0 else right
        return f"{scalar.known('an operand')} has no dims, and {call.name} multiplies matrices: use `*`"
    rank = RANKS.get(call.target)
    for one in (left, right) if rank is not None else ():
        if one.shape is not None and len(one.shape) != rank:
            dims = f"{rank} dim{'s' if rank != 1 else ''}"
            return f"{call.name} takes {dims}, and {one.known('an operand')} has {len(one.shape)}"
    if call.target == "mv" and (len(left.shape), len(right.shape)) != (2, 1):
        return f"{call.name} takes a matrix and a vector, and gets {left.known('one')} and {right.known('one')}"
    a, b = left.called("the left one"), right.called("the right one")
    inner = right.shape[-2] if len(right.shape) > 1 else right.shape[0]
    if left.shape[-1] != inner:
        place = "dim before the last" if len(right.shape) > 1 else "dim"
        text = f"{call.name}: the last dim of {a} ({left.label}) has {left.shape[-1]}"
        return f"{text}, and the {place} of {b} ({right.label}) has {inner}{_turned(left, right)}"
    for one, two in zip(left.shape[-3::-1], right.shape[-3::-1], strict=False):
        if one != two and (call.target == "bmm" or 1 not in (one, two)):
            return f"{call.name}: {a} ({left.label}) has a batch of {one}, and {b} ({right.label}) one of {two}"
    return None


def _turned(left: Operand, right: Operand) -> str:
    """Which of them fits when it is transposed."""
    if left.shape and right.shape and len(right.shape) > 1 and left.shape[-1] == right.shape[-1] and right.text:
        return f"; {right.text[:-1]}.transpose(-2, -1)` would fit" if right.text[1:-1].isidentifier() else ""
    return ""


CAUSE = Cause("matmul-sizes", "A matrix product of sizes that do not fit", PLACES.keys(), explain)

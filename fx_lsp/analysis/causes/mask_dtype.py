"""A mask of numbers where one of bools is taken.

    y = torch.where(mask, x, 0.0)  # mask is f32[8, 10]
    y = F.scaled_dot_product_attention(q, k, v, mask)  # mask is i64[10, 10]

Instead: `mask.bool()`, or the comparison that is meant, `mask > 0`.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, Operand

_PLACES = {"where": 0, "masked_fill": 1, "masked_select": 1, "masked_scatter": 1,
           "scaled_dot_product_attention": 3}  # fmt: skip


def explain(call: Call) -> str | None:
    """From its type."""
    mask = mask_of(call)
    if mask is None or mask.dtype in ("", "b8", "u8"):
        return None
    if call.target == "scaled_dot_product_attention":
        x = call.operand(0, "query")
        if x is None or mask.dtype in (x.dtype, "f32"):
            return None
        return f"{call.name} takes a mask of bools or of {x.dtype}, and {mask.known('its mask')} holds {mask.dtype}"
    return f"{call.name} takes a mask of bools, and {mask.known('its mask')} holds {mask.dtype}"


def place(call: Call) -> int:
    """Where the mask is; that of `x.where(mask, y)` comes second."""
    method = call.target == "where" and call.operand(0) is not None and call.name == "`where`"
    return 1 if method else _PLACES.get(call.target, 0)


def mask_of(call: Call) -> Operand | None:
    """The mask."""
    return call.operand(place(call), "condition", "mask", "attn_mask")


CAUSE = Cause("mask-dtype", "A mask that is none of bools", _PLACES.keys(), explain)

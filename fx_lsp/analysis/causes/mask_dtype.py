"""A mask of numbers where one of bools is taken.

    y = torch.where(mask, x, 0.0)  # mask is f32[8, 10]
    y = F.scaled_dot_product_attention(q, k, v, mask)  # mask is i64[10, 10]

Instead: `mask.bool()`, or the comparison that is meant, `mask > 0`.
"""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, Operand

_ATTENTION = "scaled_dot_product_attention"
_PLACES = {"where": 0, "masked_fill": 1, "masked_select": 1, "masked_scatter": 1, _ATTENTION: 3}
_DECODER = {"tgt_mask": 2, "memory_mask": 3, "tgt_key_padding_mask": 4, "memory_key_padding_mask": 5}
_LAYERS = {
    "MultiheadAttention": {"key_padding_mask": 3, "attn_mask": 5},
    "TransformerEncoderLayer": {"src_mask": 1, "src_key_padding_mask": 2},
    "TransformerEncoder": {"mask": 1, "src_key_padding_mask": 2},
    "TransformerDecoderLayer": _DECODER,
    "TransformerDecoder": _DECODER,
    "Transformer": {"src_mask": 2, "tgt_mask": 3, "memory_mask": 4, "src_key_padding_mask": 5,
                    "tgt_key_padding_mask": 6, "memory_key_padding_mask": 7},
}  # fmt: skip
"""Masks that layers take, and where: of bools, or of floats that are added."""


def explain(call: Call) -> str | None:
    """From its type."""
    for mask, _ in wrong(call):
        x = call.operand(0, "query") if call.target == _ATTENTION else None
        also = " or of floats" if call.target in _LAYERS else f" or of {x.dtype}" if x is not None else ""
        return f"{call.name} takes a mask of bools{also}, and {mask.known('its mask')} holds {mask.dtype}"
    return None


def wrong(call: Call) -> Iterator[tuple[Operand, tuple[int, tuple[str, ...]]]]:
    """Masks of a type that is not taken, and where they are: a number, and names."""
    for place in _places(call):
        mask = call.operand(place[0], *place[1])
        if mask is not None and mask.dtype not in ("", "b8") and not _is_taken(call, mask.dtype):
            yield mask, place


def _is_taken(call: Call, dtype: str) -> bool:
    """Whether it may be a mask's type beside that of bools."""
    if call.target in _LAYERS:
        return not dtype.startswith(("i", "u"))
    x = call.operand(0, "query") if call.target == _ATTENTION else None
    return (dtype == "u8" and call.target == "where") or (
        call.target == _ATTENTION and (x is None or dtype in (x.dtype, "f32"))
    )


def _asks_for_places(call: Call) -> bool:
    """`torch.where(x)`: where it is not zero, of any type."""
    return call.target == "where" and len(call.operands) + len(call.named) < 2


def _places(call: Call) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Where its masks are; that of `x.where(mask, y)` comes second."""
    for name, number in _LAYERS.get(call.target, {}).items():
        yield number, (name,)
    if call.target in _PLACES and not _asks_for_places(call):
        method = call.target == "where" and call.operand(0) is not None and call.name == "`where`"
        yield 1 if method else _PLACES[call.target], ("condition", "mask", "attn_mask")


CAUSE = Cause("mask-dtype", "A mask that is none of bools", {*_PLACES, *_LAYERS}, explain)

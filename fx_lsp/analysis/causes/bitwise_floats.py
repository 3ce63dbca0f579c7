"""Bits of floats are combined.

    both = scores & mask  # f32[8, 10] and b8[8, 10]

Instead: bools, `(scores > 0) & mask`; a product where one of them is a mask of numbers.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call

_OPERATIONS = ("and", "or", "xor", "bitwise_and", "bitwise_or", "bitwise_xor")
TARGETS = {f"{prefix}{name}" for name in _OPERATIONS for prefix in ("", "r", "i")} | {"invert", "bitwise_not"}


def explain(call: Call) -> str | None:
    """From the first operand of floats."""
    floats = next((one for one in call.tensors if one.dtype.startswith(("f", "bf"))), None)
    if floats is None:
        return None
    return f"{call.name} takes bools or whole numbers, and {floats.known('its operand')} holds {floats.dtype}"


CAUSE = Cause("bitwise-floats", "Bits of floats", TARGETS, explain)

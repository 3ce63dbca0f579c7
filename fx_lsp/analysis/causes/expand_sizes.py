"""A tensor expanded to sizes that it cannot have.

    y = x.expand(8, -1, -1)  # x is f32[2, 10, 64]

Instead: only dims of size 1 are expanded; `repeat` copies the others.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call


def explain(call: Call) -> str | None:
    """The first dim, from the last, that is neither 1 nor what is wanted."""
    x = call.operand(0, "input")
    sizes = wanted(call)
    if x is None or x.shape is None or not sizes:
        return None
    if call.target in COPIES and len(sizes) >= len(x.shape):
        return None
    if len(sizes) < len(x.shape):
        return f"{call.name} gets {len(sizes)} sizes, and {x.known()} has {len(x.shape)} dims"
    for back, (has, size) in enumerate(zip(x.shape[::-1], sizes[::-1], strict=False), 1):
        if has != 1 and size not in (-1, has):
            dim = len(x.shape) - back
            return f"dim {dim} of {x.known()} has {has}, and only a dim of 1 can be expanded, here to {size}"
    return None


def wanted(call: Call) -> list[int] | None:
    """The sizes; of `expand_as` those of the other tensor."""
    other = call.shape(1, "other") if call.target == "expand_as" else None
    return list(other) if other is not None else call.numbers("size", "sizes", "repeats", "dims")


COPIES = ("repeat",)
"""What copies any dim, and fails only where there are too few numbers."""
CAUSE = Cause("expand-sizes", "Expanding what is not 1", {"expand", "broadcast_to", "expand_as", "repeat"}, explain)

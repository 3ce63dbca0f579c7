"""A dim that is taken apart into equal parts which do not divide it.

    x = F.pixel_shuffle(x, 2)  # x is f32[8, 6, 32, 32]
    x = F.glu(x)  # x is f32[8, 63]

Instead: a layer before it that makes a multiple, here 8 channels and 64 features.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, Operand


def explain(call: Call) -> str | None:
    """From the dim and the number of parts."""
    x, found = call.operand(0, "input"), undivided(call)
    if x is None or found is None:
        return None
    dim, size, parts = found
    return f"{call.name} takes dim {dim} of {x.known()} apart into {parts}, which does not divide {size}"


def undivided(call: Call) -> tuple[int, int, int] | None:
    """The dim, what it has, and how many parts it is to have."""
    x = call.operand(0, "input")
    if x is None or not x.shape:
        return None
    for dim, parts in _wanted(call, x, len(x.shape)):
        if 0 <= dim < len(x.shape) and parts > 0 and x.shape[dim] % parts:
            return dim, x.shape[dim], parts
    return None


def _wanted(call: Call, x: Operand, rank: int) -> list[tuple[int, int]]:
    """Dims, and numbers that have to divide them."""
    if call.target == "glu":
        dim = call.plain(1, "dim")
        return [((dim if isinstance(dim, int) else -1) % rank, 2)]
    factor = call.plain(1, "upscale_factor", "downscale_factor", "groups")
    if type(factor) is not int:
        return []
    if call.target == "pixel_shuffle":
        return [(rank - 3, factor * factor)]
    return [(rank - 2, factor), (rank - 1, factor)] if call.target == "pixel_unshuffle" else [(1, factor)]


_TARGETS = {"pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "glu"}
CAUSE = Cause("divided-dims", "A dim that cannot be divided so", _TARGETS, explain)

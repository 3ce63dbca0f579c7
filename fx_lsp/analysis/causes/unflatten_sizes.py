"""Sizes that do not multiply up to the dim that is split into them.

    x = x.unflatten(-1, (heads, 64))  # x is f32[8, 10, 500]

Instead: one size left open, `(heads, -1)`, or a layer that makes as many.
"""

from __future__ import annotations

import math

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, numbers


def split(call: Call) -> tuple[int, int, list[int]] | None:
    """The dim, what it has, and the sizes that it is split into; None where they go together."""
    shape, dim, sizes = call.shape(0, "input"), call.plain(1, "dim"), numbers(call.plain(2, "sizes"))
    if shape is None or not sizes or type(dim) is not int or not -len(shape) <= dim < len(shape):
        return None
    has, known = shape[dim], math.prod(size for size in sizes if size != -1)
    fits = has == known if -1 not in sizes else known > 0 and has % known == 0
    return None if fits else (dim % len(shape), has, sizes)


def explain(call: Call) -> str | None:
    """From the product of the sizes."""
    x, found = call.operand(0, "input"), split(call)
    if x is None or found is None:
        return None
    dim, has, sizes = found
    return f"dim {dim} of {x.known()} has {has}, and {call.name} splits it into {sizes}"


CAUSE = Cause("unflatten-sizes", "Sizes that are not the whole dim", {"unflatten"}, explain)

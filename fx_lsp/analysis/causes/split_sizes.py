"""Sizes of parts that are not the whole dim together.

    q, kv = self.proj(x).split([32, 64], dim=-1)  # self.proj makes 64

Instead: parts that add up to the dim, or a layer that makes as much as they do.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, numbers


def parts(call: Call) -> tuple[int, int, list[int]] | None:
    """The dim that is split, what it has, and the sizes of its parts; None where they are all of it."""
    shape, sizes = call.shape(0, "input", "tensor"), numbers(call.plain(1, "split_size", "split_sizes"))
    dim = call.plain(2, "dim")
    dim = dim if isinstance(dim, int) else 0
    # One number is the size of each part, and the last one may be smaller.
    listed = isinstance(call.plain(1, "split_size", "split_sizes"), tuple | list)
    if shape is None or not sizes or not listed or not -len(shape) <= dim < len(shape):
        return None
    return (dim % len(shape), shape[dim], sizes) if sum(sizes) != shape[dim] else None


def explain(call: Call) -> str | None:
    """From the sum of the parts."""
    x, found = call.operand(0, "input", "tensor"), parts(call)
    if x is None or found is None:
        return None
    dim, has, sizes = found
    return f"dim {dim} of {x.known()} has {has}, and the parts {sizes} of {call.name} are {sum(sizes)} together"


CAUSE = Cause("split-sizes", "Parts that are not the whole", {"split", "split_with_sizes"}, explain)

"""A pattern of axes that does not fit the tensor.

    y = rearrange(x, "b (h w) c -> b c h w", h=8, w=8)  # x is f32[2, 50, 16]

Instead: one name for each dim, and in parentheses those whose product it is.
"""

from __future__ import annotations

import math
import re
from typing import Any, cast

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call

_AXIS = re.compile(r"\([^()]*\)|[^\s()]+")
_KNOWN = re.compile(r"[\w\s()…_.]*")


def explain(call: Call) -> str | None:
    """The first axis that does not fit; of functions and of layers."""
    pattern = call.settings.get("pattern", call.plain(1, "pattern"))
    x = call.operand(0, "tensor", "input")
    if x is None or x.shape is None or not isinstance(pattern, str) or "->" not in pattern:
        return None
    left = pattern.partition("->")[0]
    found = axes(left)
    if found is None:
        return None
    if len(found) != len(x.shape):
        return f"`{left.strip()}` names {len(found)} dims, and {x.known()} has {len(x.shape)}"
    wrong = misfit(call, found, x.shape)
    if wrong is None:
        return None
    axis, product, size, whole = wrong
    return f"`{axis}` is {'' if whole else 'a multiple of '}{product}, and this dim of {x.known()} is {size}"


def misfit(call: Call, found: list[str], shape: tuple[int, ...]) -> tuple[str, int, int, bool] | None:
    """The first axis with another size than its dim, what is known of it, that of the dim, and whether all is."""
    given = call.settings.get("axes_lengths")
    known_by_layer = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    lengths = {**known_by_layer, **{name: one.plain for name, one in call.named.items()}}
    for axis, size in zip(found, shape, strict=True):
        sizes = [int(part) if part.isdigit() else lengths.get(part) for part in axis.strip("()").split()]
        known = [one for one in sizes if isinstance(one, int)]
        product, whole = math.prod(known), len(known) == len(sizes)
        if product != size if whole else product and size % product:
            return axis, product, size, whole
    return None


def axes(side: str) -> list[str] | None:
    """One for each dim; None where one may stand for several."""
    if "..." in side or "…" in side or not _KNOWN.fullmatch(side) or side.count("(") != side.count(")"):
        return None
    return _AXIS.findall(side)


_TARGETS = {"rearrange", "reduce", "repeat", "Rearrange", "Reduce"}
CAUSE = Cause("axes-pattern", "A pattern of axes that does not fit", _TARGETS, explain)

"""A part of a tensor is set to something of other sizes.

    pe = torch.zeros(512, 1, 64)
    pe[0, :, 0::2] = torch.sin(position * rate)  # f32[512, 32] into [1, 32]

Instead: index the dims that are meant, `pe[:, 0, 0::2]`.
"""

from __future__ import annotations

import re

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, literal
from fx_lsp.analysis.causes.index_range import parts

_SLICE = re.compile(r"slice\(([^,()]+), ([^,()]+), ([^,()]+)\)")


def explain(call: Call) -> str | None:
    """From the sizes of the part, where the index is of numbers and slices, or a tensor of places."""
    x, index, value = (call.operand(place) for place in range(3))
    if x is None or x.shape is None or index is None or value is None or value.shape is None:
        return None
    places = index.shape if index.dtype in ("i64", "i32") and x.shape else None
    part = (*places, *x.shape[1:]) if places is not None else taken(x.shape, parts(index.value) or [])
    if part is None or fits(value.shape, part):
        return None
    inside = index.text[1:-1]
    inside = inside[1:-1] if inside.startswith("(") and inside.endswith(")") else inside
    written = f"`{x.text[1:-1]}[{inside}]`" if x.text and inside else "the part"
    return f"{written} is of {list(part)}, and {value.known('what it is set to')} cannot be broadcast to it"


def fits(sizes: tuple[int, ...], part: tuple[int, ...]) -> bool:
    """Whether a part of a tensor can be set to something of these sizes."""
    while len(sizes) > len(part) and sizes[0] == 1:
        sizes = sizes[1:]
    ends = zip(reversed(sizes), reversed(part), strict=False)
    return len(sizes) <= len(part) and all(one in (1, size) for one, size in ends)


def taken(shape: tuple[int, ...], index: list[str]) -> tuple[int, ...] | None:
    """Sizes of what the index takes."""
    found: list[int] = []
    taking = [one for one in index if one not in ("None", "Ellipsis")]
    rest = list(shape)
    if not index or len(taking) > len(shape) or index.count("Ellipsis") > 1:
        return None
    for one in index:
        if one == "None":
            found.append(1)
        elif one == "Ellipsis":
            behind = index[index.index(one) + 1 :]
            count = len(rest) - (len(behind) - behind.count("None"))
            found += rest[:count]
            rest = rest[count:]
        elif (match := _SLICE.fullmatch(one)) is not None:
            bounds = [literal(text) for text in match.groups()]
            if bounds[2] == 0 or any(
                type(bound) is not int and text != "None" for bound, text in zip(bounds, match.groups(), strict=True)
            ):
                return None
            found.append(len(range(rest.pop(0))[slice(*bounds)]))
        elif one.lstrip("-").isdigit():
            rest.pop(0)
        else:
            return None
    return (*found, *rest)


CAUSE = Cause("assigned-sizes", "A part of a tensor set to other sizes", {"setitem"}, explain)

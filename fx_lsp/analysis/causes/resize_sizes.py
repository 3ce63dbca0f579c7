"""A tensor is resized or padded in another number of dims than it has.

    y = F.interpolate(x, scale_factor=2, mode="linear")  # x is f32[8, 3, 32, 32]
    y = F.pad(x, (1, 1), mode="reflect")

Instead: `bilinear` for pictures, and two numbers of padding for each dim, the last dim first.
"""

from __future__ import annotations

from collections.abc import Sized
from typing import cast

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, Operand, numbers

MODES = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}
"""Dims that each takes, batch and channels included."""
_INTERIOR = ("reflect", "replicate", "circular")
_PAD = ("pad",)


def explain(call: Call) -> str | None:
    """From the mode, then from how many numbers there are."""
    x = call.operand(0, "input")
    if x is None or x.shape is None:
        return None
    return _padded(call, x, len(x.shape)) if call.target in _PAD else _resized(call, x, len(x.shape))


def _resized(call: Call, x: Operand, rank: int) -> str | None:
    mode = call.settings.get("mode", call.plain(3, "mode"))
    wanted = MODES.get(mode) if isinstance(mode, str) else None
    if wanted is not None and wanted != rank:
        return f'{call.name}: "{mode}" takes {wanted} dims, with batch and channels, and {x.known()} has {rank}'
    for number, name in ((1, "size"), (2, "scale_factor")):
        count = length(call.settings.get(name, call.plain(number, name)))
        if count is not None and count != rank - 2:
            part = f"{call.name} is given {count} numbers as `{name}`"
            return f"{part}, and {x.known()} has {rank - 2} dims after batch and channels"
    return None


def length(given: object) -> int | None:
    """Of a group of numbers; None for everything else."""
    return len(cast("Sized", given)) if isinstance(given, tuple | list) else None


def _padded(call: Call, x: Operand, rank: int) -> str | None:
    given = numbers(call.plain(1, "pad"))
    mode = call.plain(2, "mode") or "constant"
    if not given:
        return None
    if len(given) % 2:
        return f"{call.name} takes two numbers for each dim, before and after, and is given {len(given)}"
    if len(given) > 2 * rank:
        return f"{call.name} is given numbers for {len(given) // 2} dims, and {x.known()} has {rank}"
    inner = (rank - 2, rank - 1)
    if mode in _INTERIOR and len(given) // 2 not in inner:
        part = f'{call.name} in the mode "{mode}" pads all dims after batch and channels'
        return f"{part}, {2 * max(rank - 2, 1)} numbers for {x.known()}, and is given {len(given)}"
    for place, (before, after) in enumerate(zip(given[::2], given[1::2], strict=True), 1):
        size = (x.shape or ())[-place]
        if size + before + after < 0:
            return f"{call.name} takes {-before - after} away from dim {rank - place} of {x.known()}, which has {size}"
    return None


CAUSE = Cause(
    "resize-sizes", "Resized or padded in other dims than there are", {"interpolate", "upsample", "Upsample", *_PAD},
    explain,
)  # fmt: skip

"""Layers over one, two or three dims of space."""

from __future__ import annotations

import re
from itertools import product

from fx_lsp.analysis.causes._call import Operand

CONVOLUTIONS = frozenset(
    f"{name}{dims}d{end}"
    for (name, end), dims in product(
        (("Conv", ""), ("ConvTranspose", ""), ("conv", ""), ("conv_transpose", "")), (1, 2, 3)
    )
)
"""Layers and functions."""
SPACE = {1: "length", 2: "height, width", 3: "depth, height, width"}
_DIMS = re.compile(r"([123])d")


def dims_of(target: str) -> int:
    """Dims of space that it works on."""
    found = _DIMS.search(target)
    return int(found[1]) if found is not None else 0


def lacks_space(x: Operand | None, dims: int, channels: object) -> bool:
    """Whether it has a batch and its channels after it, and one dim of space too few: not a batch too few."""
    shape = x.shape if x is not None else None
    return shape is not None and dims > 1 and len(shape) == dims + 1 and shape[0] != channels and shape[1] == channels


def channel_dim(x: Operand | None, dims: int) -> int | None:
    """The dim with the channels: after the batch, or the first where there is none; None with other dims."""
    rank = len(x.shape) if x is not None and x.shape is not None else 0
    return 1 if rank == dims + 2 else 0 if rank == dims + 1 else None

"""Masks with known numbers are given as positions, which any tensor takes: whether the masks themselves would be."""

from __future__ import annotations

from typing import Any, Iterator, Tuple

import torch


def fit(shape: Tuple[int, ...], index: Any) -> bool:
    """Whether each mask in an index has the sizes of the dims that it is for."""
    parts = placed(shape, index)
    return all(tuple(part.shape) == tuple(shape[at : at + dims]) for part, at, dims in parts if is_mask(part))


def placed(shape: Tuple[int, ...], index: Any) -> Iterator[Tuple[Any, int, int]]:
    """The parts of an index, each with the first dim that it is for and how many; none of dims that are not there."""
    parts = index if isinstance(index, tuple) else (index,)
    taken = [_dims(part) for part in parts]
    place, dots = 0, len(shape) - sum(taken)
    for part, dims in zip(parts, taken):
        if part is Ellipsis:
            place += dots
        elif is_mask(part) or place + dims <= len(shape):
            yield part, place, dims
        place += dims


def _dims(part: Any) -> int:
    """How many dims a part of an index is for."""
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    return part.dim() if is_mask(part) else 1


def is_mask(part: Any) -> bool:
    """Whether a part of an index chooses by True and False."""
    return isinstance(part, torch.Tensor) and part.dtype in (torch.bool, torch.uint8)

"""Results of two runs, number by number."""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Tuple

import torch

TOLERANCE = {"f64": 1e-9, "f32": 1e-4}
"""Largest difference that rounding makes, relative to the largest value, or to one where that is smaller."""

Named = List[Tuple[str, torch.Tensor]]


class Apart(Exception):
    """They are not the same; the message says where."""


class Result(NamedTuple):
    """What one run gave."""

    outputs: Named
    effects: Named
    """What its arguments and buffers are afterwards."""
    gradients: Named

    @property
    def finite(self) -> bool:
        """Whether it has numbers that can be compared."""
        return all(bool(torch.isfinite(one).all()) for _, one in (*self.outputs, *self.effects, *self.gradients))


def difference(old: Result, new: Result, dtype: str) -> float:
    """The largest one.

    Raises:
        Apart: they differ in kind, or by more than rounding makes.
    """
    return max(_largest(kind, one, other, dtype) for kind, one, other in zip(Result._fields, old, new))


def _largest(what: str, old: Named, new: Named, dtype: str) -> float:
    if len(old) != len(new):
        raise Apart(f"there were {len(old)} {what}, and now there are {len(new)}")
    found: Dict[str, torch.Tensor] = dict(new)
    largest = 0.0
    for name, one in old:
        other = found.get(name)
        if other is None:
            raise Apart(f"there is no {name} any more")
        largest = max(largest, _apart(name, one, other, dtype))
    return largest


def _apart(name: str, old: torch.Tensor, new: torch.Tensor, dtype: str) -> float:
    if old.dtype != new.dtype or old.shape != new.shape:
        raise Apart(f"{name} was {_written(old)} and is now {_written(new)}")
    if old.numel() == 0:
        return 0.0
    if not (old.is_floating_point() or old.is_complex()):
        if not torch.equal(old, new):
            raise Apart(f"{name} has other values")
        return 0.0
    scale = max(float(old.abs().max()), 1.0)
    apart = float((old - new).abs().max()) / scale
    if not apart <= TOLERANCE[dtype]:  # NaN is not
        raise Apart(f"{name} differs by {apart:.2g} of its largest value")
    return apart


def _written(tensor: torch.Tensor) -> str:
    return f"{str(tensor.dtype).rpartition('.')[2]}{list(tensor.shape)}"

"""Weights that take no memory: a model with the sizes of its published weights runs where they do not fit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

LARGE = 1 << 20
"""Numbers of a tensor from which on they share their places in memory."""
SCALE = 0.02


class _Unwritten(TorchFunctionMode):
    """Such tensors, and that what is written to them is left out: there is one place for all of their numbers."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        del types
        named = kwargs or {}
        if func is torch.empty:
            return _one(func(*args, **{**named, "device": "meta"}), func, args, named)
        name = getattr(func, "__name__", "")
        target = args[0] if args else named.get("tensor")  # as torch.nn.init hands it on
        if name.endswith("_") and not name.endswith("__") and _shared(target):
            return target
        return func(*args, **named)


def _one(like: torch.Tensor, func: Any, args: Any, kwargs: dict[str, Any]) -> torch.Tensor:
    """As large as `like`; of few random numbers, where that is large and would be on the CPU: each place has the number
    that the places before it in every dim have next, so that no two rows are alike.
    """
    device = torch.device(kwargs.get("device") or torch.get_default_device())
    if like.numel() < LARGE or like.dim() < 2 or device.type != "cpu":
        return func(*args, **kwargs)
    numbers = torch.randn(sum(like.shape)) * SCALE
    return numbers.to(like.dtype).as_strided(like.shape, (1,) * like.dim())


def _shared(item: Any) -> bool:
    large = isinstance(item, torch.Tensor) and item.numel() >= LARGE and item.stride() == (1,) * item.dim()
    return large and item.untyped_storage().nbytes() < item.numel() * item.itemsize


@contextmanager
def slim() -> Iterator[None]:
    """Tensors of a million numbers and more that are made to be filled, as all weights of torch's layers, are of a few
    numbers each, which nothing changes; shapes and types are what they were.
    """
    with _Unwritten():
        yield

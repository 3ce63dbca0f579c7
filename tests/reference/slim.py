"""Weights that take no memory: a model with the sizes of its published weights runs where they do not fit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

LARGE = 1 << 20
"""Numbers of a tensor from which on all of them are one number in memory."""
VALUE = 0.02


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
    """As large as `like`, of one number where that is large and would be on the CPU."""
    device = torch.device(kwargs.get("device") or torch.get_default_device())
    if like.numel() < LARGE or device.type != "cpu":
        return func(*args, **kwargs)
    value = VALUE if like.is_floating_point() else 0
    return torch.full((1,), value, dtype=like.dtype).expand(like.shape)


def _shared(item: Any) -> bool:
    return isinstance(item, torch.Tensor) and any(
        size > 1 and stride == 0 for size, stride in zip(item.shape, item.stride(), strict=True)
    )


@contextmanager
def slim() -> Iterator[None]:
    """Tensors of a million numbers and more that are made to be filled, as all weights of torch's layers, are of one
    number each, which nothing changes; shapes and types are what they were.
    """
    with _Unwritten():
        yield

"""Weights that do not fit into memory take none, until the one module that is compared gets real ones."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Tuple

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

LARGE = 1 << 20
"""Numbers of a tensor that is worth it."""
ROOM = 1 << 26
"""Numbers of large tensors for which there is room; what is made after them takes none."""
MOST = 1 << 27
"""Numbers of a module that fits into memory twice, with gradients, in single precision."""
SCALE = 0.02


class Weights(TorchFunctionMode):
    """Makes a large empty tensor for which there is no room any more out of a few random numbers, each of which stands
    at many places: shape, dtype and device are what they would be.

    What is written to such a tensor is left out, since there is no place for it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.made = 0
        """Numbers of large tensors so far."""

    @property
    def thin(self) -> bool:
        """Whether any tensor takes no memory: then what a model gives is not what it would give."""
        return self.made > ROOM

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run it, unless it makes or writes such a tensor."""
        named = kwargs or {}
        if func is torch.empty:
            return self._empty(args, named)
        name = getattr(func, "__name__", "")
        target = args[0] if args else named.get("tensor")  # as torch.nn.init hands it on
        if name.endswith("_") and not name.endswith("__") and _is_thin(target):
            return target
        return func(*args, **named)

    def _empty(self, args: Any, kwargs: Dict[str, Any]) -> torch.Tensor:
        like = torch.empty(*args, **{**kwargs, "device": "meta", "pin_memory": False})
        device = torch.device(kwargs.get("device") or torch.get_default_device())
        if like.numel() < LARGE or device.type != "cpu":
            return torch.empty(*args, **kwargs)
        self.made += like.numel()
        return _thin(like) if self.thin else torch.empty(*args, **kwargs)


def made_real(model: nn.Module) -> None:
    """Give every weight numbers of its own, the same ones in two versions of a model."""
    generator = torch.Generator().manual_seed(0)
    for one in _tensors(model):
        if _is_thin(one):
            one.data = (SCALE * torch.randn(one.shape, generator=generator)).to(one.dtype)


def size(model: nn.Module) -> int:
    """Numbers that its tensors have, each tensor counted once."""
    return sum({id(one): one.numel() for one in _tensors(model)}.values())


def tensors_of(model: nn.Module) -> Iterator[Tuple[nn.Module, str, torch.Tensor]]:
    """Plain attributes that are tensors: they are no part of the state, and no conversion reaches them."""
    for module in model.modules():
        for name, value in list(vars(module).items()):
            if isinstance(value, torch.Tensor):
                yield module, name, value


def _tensors(model: nn.Module) -> Iterator[torch.Tensor]:
    yield from model.parameters()
    yield from model.buffers()
    yield from (one for _, _, one in tensors_of(model))


def _thin(like: torch.Tensor) -> torch.Tensor:
    """Each place has the number that the places before it in every dim have next: no two rows are alike."""
    numbers = torch.randn(sum(like.shape)) * SCALE
    return numbers.to(like.dtype).as_strided(like.shape, (1,) * like.dim())


def _is_thin(item: Any) -> bool:
    if not isinstance(item, torch.Tensor) or item.numel() < LARGE or item.stride() != (1,) * item.dim():
        return False
    return item.untyped_storage().nbytes() < item.numel() * item.itemsize

"""Calls that only write numbers into a tensor which has none: most fill the weights of a layer that is made, and each
would take as long as an operation of the model."""

from __future__ import annotations

from typing import Any, Callable, Dict, Tuple

import torch
from torch._subclasses import fake_tensor
from torch.nn import init

_METHODS = {torch.Tensor.uniform_: 2, torch.Tensor.normal_: 2, torch.Tensor.zero_: 0, torch.Tensor.fill_: 1}
"""How many numbers each is given."""
_KAIMING = frozenset({init.kaiming_uniform_, init.kaiming_normal_})
FILLS = frozenset(func.__name__ for func in (*_METHODS, *_KAIMING))
"""Names of all of them."""

DRAWING = tuple(
    name for name in map("_no_grad_{}_".format, ("uniform", "normal", "trunc_normal", "fill", "zero"))
    if hasattr(init, name)
)  # fmt: skip
"""Functions of `torch.nn.init` that do nothing but write to a tensor."""


def only_fills(func: Any, name: str, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> bool:
    """Whether the call would leave a fake tensor as it is; then its version has grown, as the call would make it.

    Raises:
        ValueError: the call would, for a tensor of such a shape.
    """
    if func in _KAIMING:
        return _initialises(**kwargs) if not args else False
    if func not in _METHODS or any(one is not None for one in kwargs.values()) or not args:
        return False
    if torch.is_grad_enabled() or not _is_weight(args[0]):
        return False
    numbers = args[1:]
    if len(numbers) != _METHODS[func] or any(type(number) not in (int, float) for number in numbers):
        return False
    if (name == "uniform_" and numbers[0] > numbers[1]) or (name == "normal_" and numbers[1] < 0):
        return False
    torch.autograd.graph.increment_version(args[0])
    return True


def _initialises(tensor: Any, a: float, mode: str, nonlinearity: str, **others: Any) -> bool:
    """As `torch.nn.init` reads its arguments, up to where it draws."""
    if not _is_weight(tensor):
        return False
    with torch._C.DisableTorchFunction():
        if 0 not in tensor.shape:
            init._calculate_correct_fan(tensor, mode)
            init.calculate_gain(nonlinearity, a)  # type: ignore[arg-type]
            torch.autograd.graph.increment_version(tensor)
    return True


def _is_weight(tensor: Any) -> bool:
    if type(tensor) is not fake_tensor.FakeTensor:
        return False
    with torch._C.DisableTorchFunction():
        return tensor.is_floating_point() and tensor.is_contiguous() and tensor.constant is None


def leave_unfilled() -> None:
    """`torch.nn.init` draws no values for tensors that hold none, as it does none for meta tensors: it would read what
    it drew (`trunc_normal_`), and each draw costs as much as an operation of the model."""
    for name in DRAWING:
        setattr(init, name, _unless_fake(getattr(init, name)))


def _unless_fake(fill: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    def filled(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        return tensor if isinstance(tensor, fake_tensor.FakeTensor) else fill(tensor, *args, **kwargs)

    return filled

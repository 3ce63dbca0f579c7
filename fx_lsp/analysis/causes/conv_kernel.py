"""A convolution or pooling is wider than what it gets.

    x = self.pool(x)  # x is f32[8, 64, 1, 1], the kernel takes 2

Instead: fewer steps that halve the size, a larger input, or padding.
"""

from __future__ import annotations

from typing import Any

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, numbers
from fx_lsp.analysis.causes._spatial import dims_of

_NAMES = ("Conv", "MaxPool", "AvgPool", "conv", "max_pool", "avg_pool")
_TARGETS = frozenset(f"{name}{dims}d" for name in _NAMES for dims in (1, 2, 3))


def explain(call: Call) -> str | None:
    """From the settings of a layer, or from what a function is given."""
    x, dims = call.operand(0, "input"), dims_of(call.target)
    if x is None or x.shape is None or len(x.shape) <= dims or _may_be_larger(call):
        return None
    kernel, padding, dilation = (
        _each(_setting(call, name), otherwise, dims)
        for name, otherwise in (("kernel_size", 1), ("padding", 0), ("dilation", 1))
    )
    for number, size in enumerate(x.shape[-dims:]):
        covered = dilation[number] * (kernel[number] - 1) + 1
        padded = size + 2 * padding[number]
        if covered > padded:
            dim = len(x.shape) - dims + number
            space = f"{size}" if size == padded else f"{size}, with padding {padded}"
            return f"the kernel of {call.name} covers {covered}, and dim {dim} of {x.known()} has {space}"
    return None


def _may_be_larger(call: Call) -> bool:
    """Whether it is padded as it needs, or what is left over counts."""
    ceil = call.settings.get("ceil_mode") or call.plain(5 if call.target.startswith("max") else 4, "ceil_mode") is True
    return isinstance(_setting(call, "padding"), str) or bool(ceil)


def _setting(call: Call, name: str) -> Any:
    if call.target[0].isupper():
        return call.settings.get(name)
    if call.target.startswith("conv"):
        return (call.shape(1, "weight") or ())[2:] if name == "kernel_size" else call.plain(_OF_CONV[name], name)
    return call.plain(_OF_POOL[name], name)


_OF_POOL = {"kernel_size": 1, "padding": 3, "dilation": 4}
_OF_CONV = {"padding": 4, "dilation": 5}
"""Places of what the functions take; a convolution takes its weight."""


def _each(setting: Any, otherwise: int, dims: int) -> list[int]:
    given = numbers(setting) or [otherwise]
    plain = given * dims if len(given) == 1 else given
    return plain if len(plain) == dims else [otherwise] * dims


CAUSE = Cause("conv-kernel", "A kernel that is larger than its input", _TARGETS, explain)

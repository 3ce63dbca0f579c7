"""What annotations say about inputs that hold a shape: `x: Float[Tensor, "b n 3"]`, also by a shorter name for it; and
how many numbers others ask for: `size: Tuple[int, int, int]`."""

from __future__ import annotations

import re
import typing
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import torch

from fx_lsp.worker.inference.corrections import value_of
from fx_lsp.worker.inference.inputs import Input, Plain, Tensor
from fx_lsp.worker.inference.names import is_union

_DTYPES = (("float32", "f32"), ("int64", "i64"), ("bool", "b8"), ("complex64", "c64"))
_ANY_NUMBER = re.compile(r"\*\w*|\.\.\.")
"""Of dims: there may be any number of them."""

Sizes = Callable[[List[str]], Optional[Tuple[int, ...]]]
"""Of dims that have names; None where they say nothing."""


def hinted(hints: Mapping[str, Any], names: Sequence[str], sizes: Sizes) -> Dict[str, Tensor]:
    """The inputs whose annotation is a class that says dims and dtypes."""
    found: Dict[str, Tensor] = {}
    for name in names:
        tensor = next(_tensors(hints.get(name), sizes), None)
        if tensor is not None:
            found[name] = tensor
    return found


def is_shape(hint: Any) -> bool:
    """Whether an annotation is such a class."""
    return isinstance(hint, type) and isinstance(getattr(hint, "dim_str", None), str) and hasattr(hint, "dtypes")


def fitting(usual: Tuple[Input, ...], hint: Any) -> Tuple[Input, ...]:
    """Of what an input usually is, that which is as many numbers as its annotation says, or a tensor where that says a
    shape or one tensor; all where it says nothing."""
    if is_shape(hint):
        return tuple(one for one in usual if isinstance(one, Tensor) or str(one).startswith("torch.tensor("))
    if hint is torch.Tensor:  # one, not several
        return tuple(sorted(usual, key=lambda one: isinstance(one, Tensor) and one.wrap != "{0}"))
    parts = typing.get_args(hint) if typing.get_origin(hint) is tuple else ()
    if not parts or set(parts) - {int, float}:
        return usual
    values = [(one, value_of(one.text)) for one in usual if isinstance(one, Plain)]
    return tuple(one for one, value in values if isinstance(value, tuple) and len(value) == len(parts))


def _tensors(hint: Any, sizes: Sizes) -> Iterator[Tensor]:
    if is_union(typing.get_origin(hint)):
        for part in typing.get_args(hint):
            yield from _tensors(part, sizes)
    elif is_shape(hint):
        parts = [_ANY_NUMBER.sub("b", one.lstrip("#?_").rpartition("=")[2]) for one in hint.dim_str.split()]
        shape = sizes([one or "length" for one in parts])
        if shape is not None:
            listed = hint.dtypes if isinstance(hint.dtypes, (list, tuple)) else ()
            yield Tensor(next((ours for theirs, ours in _DTYPES if theirs in listed), "f32"), shape)

"""Live objects as `fx_lsp.model.value` values: sizes and dtypes, never contents."""

from __future__ import annotations

import itertools
from typing import Any, Dict, Iterable, List, Optional, Tuple

import torch
from torch.utils._dtype_abbrs import dtype_abbrs

from fx_lsp.model.value import Group, Opaque, TensorType, Value

MAX_ITEMS = 1024
"""Members of one group that are described; the rest is counted."""
MAX_DEPTH = 6

PLAIN = frozenset({type(None), bool, int, float, complex, str, bytes, type, type(print), type(lambda: None), torch.Size,
                   torch.dtype, torch.device, slice, range})  # fmt: skip
"""Types that never hold a tensor."""


def describe(item: Any) -> Optional[Value]:
    """The value of a tensor or of a group with a tensor inside; None for anything else.

    Runs none of the user's code: members are read through the built-in base types.
    """
    if type(item) in PLAIN:
        return None
    with torch._C.DisableTorchFunction():
        if isinstance(item, torch.Tensor):
            found = tensor_type(item)
        else:
            found = _value(item, MAX_DEPTH)
    return None if isinstance(found, Opaque) else found


def tensor_type(tensor: torch.Tensor, layout: bool = False) -> Value:
    """Dtype and sizes; with `layout`, strides too when the tensor is not contiguous.

    To be called with torch functions disabled.
    """
    try:
        shape, stride = tensor.shape, None
        if layout and tensor.layout is torch.strided and not tensor.is_contiguous():
            stride = tensor.stride()
    except RuntimeError:  # a nested tensor has no sizes to give
        return Opaque(type(tensor).__name__)
    key = (tensor.dtype, shape, stride, tensor.is_meta)
    known = _known.get(key)
    if known is None:
        sizes, steps = tuple(map(int, shape)), tuple(map(int, stride or ()))
        known = _known[key] = TensorType(short(tensor.dtype), sizes, device=tensor.device.type, stride=steps)
    return known


_known: Dict[Any, TensorType] = {}


def short(dtype: torch.dtype) -> str:
    """`f32` for `torch.float32`."""
    return dtype_abbrs.get(dtype) or str(dtype).replace("torch.", "")


def _value(item: Any, depth: int) -> Value:
    if isinstance(item, torch.Tensor):
        return tensor_type(item)
    cls = type(item)
    if cls in PLAIN or depth == 0:
        return Opaque(_plain(item))
    fields = getattr(cls, "__dataclass_fields__", None)
    if fields is not None and not isinstance(item, torch.nn.Module):
        return _group("object", [_field(item, name) for name in fields], depth, list(fields), cls.__name__)
    if isinstance(item, tuple):
        names = getattr(cls, "_fields", None)
        form = "object" if isinstance(names, tuple) else "tuple"
        return _group(form, tuple.__iter__(item), depth, names or (), cls.__name__ if names else "")
    if isinstance(item, list):
        return _group("list", list.__iter__(item), depth)
    if isinstance(item, dict):
        return _group("dict", dict.values(item), depth, [_plain(key) for key in itertools.islice(item, MAX_ITEMS)])
    if isinstance(item, (set, frozenset)):
        return _group("set", iter(item), depth)
    return Opaque(cls.__name__)


def _group(form: str, items: Iterable[Any], depth: int, keys: Iterable[str] = (), name: str = "") -> Value:
    members: List[Value] = []
    rest = iter(items)
    for item in itertools.islice(rest, MAX_ITEMS):
        members.append(_value(item, depth - 1))
    omitted = sum(1 for _ in rest)
    if all(isinstance(member, Opaque) for member in members):
        return Opaque(name or form)
    return Group(form, tuple(members), tuple(keys)[: len(members)], name, omitted)


def _field(item: Any, name: str) -> Any:
    own: Dict[str, Any] = getattr(item, "__dict__", {})
    return own[name] if name in own else getattr(item, name, None)


def _plain(item: Any) -> str:
    if isinstance(item, (bool, int, float, complex, str, type(None))) and type(item) in PLAIN:
        text = repr(item)
        return text if len(text) <= 40 else text[:39] + "…"
    return type(item).__name__

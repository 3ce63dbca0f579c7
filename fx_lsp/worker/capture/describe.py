"""Live objects as `fx_lsp.model.value` values: sizes and dtypes, never contents."""

from __future__ import annotations

import itertools
from typing import Any, Dict, Iterable, List, Optional, Tuple

import torch

from fx_lsp.model.example import DTYPES
from fx_lsp.model.value import Group, Opaque, TensorType, Value
from fx_lsp.worker.engines.unknown import Unknown

MAX_ITEMS = 1024
"""Members of one group that are described; the rest is counted."""
MAX_SEARCH = 512
"""Members looked at before a group counts as one without tensors."""
MAX_DEPTH = 6
MAX_TEXT = 200
"""Characters of a key or a plain member."""

PLAIN = frozenset({type(None), bool, int, float, Unknown, complex, str, bytes, type, type(print), type(lambda: None),
                   torch.Size, torch.dtype, torch.device, slice, range})  # fmt: skip
"""Types that never hold a tensor."""


def describe(item: Any) -> Optional[Value]:
    """The value of a tensor or of a group with a tensor inside; None for anything else.

    Runs none of the user's code: members are read through the built-in base types.
    """
    if type(item) in PLAIN:
        return None
    with torch._C.DisableTorchFunction():
        if not _holds_tensor(item, MAX_DEPTH, [MAX_SEARCH]):
            return None
        found = _value(item, MAX_DEPTH)
    return None if isinstance(found, Opaque) else found


def _holds_tensor(item: Any, depth: int, budget: List[int]) -> bool:
    """Whether there is a tensor among the first members; most groups hold none, and this is quick to say so."""
    cls = type(item)
    if cls in PLAIN:
        return False
    if issubclass(cls, torch.Tensor):
        return True
    if depth > 0:
        for member in members(item, cls):
            budget[0] -= 1
            if budget[0] < 0:
                return False
            if type(member) not in PLAIN and _holds_tensor(member, depth - 1, budget):
                return True
    return False


def members(item: Any, cls: type) -> Iterable[Any]:
    """What a tuple, list, dict, set or dataclass of type `cls` holds; nothing for anything else."""
    if issubclass(cls, tuple):
        return tuple.__iter__(item)
    if issubclass(cls, list):
        return list.__iter__(item)
    if cls in _fields_of or hasattr(cls, "__dataclass_fields__"):
        return [] if issubclass(cls, torch.nn.Module) else (field_of(item, name) for name in _fields(cls))
    if issubclass(cls, dict):
        return dict.values(item)
    if issubclass(cls, set):
        return set.__iter__(item)
    return frozenset.__iter__(item) if issubclass(cls, frozenset) else ()


def _fields(cls: Any) -> Tuple[str, ...]:
    if cls not in _fields_of:
        _fields_of[cls] = tuple(cls.__dataclass_fields__)
    return _fields_of[cls]


_fields_of: Dict[type, Tuple[str, ...]] = {}


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
    # A fake tensor takes long to name its device, and every device is traced as the processor.
    device = tensor.device.type if type(tensor) in _REAL else "cpu"
    key = (tensor.dtype, shape, stride, device)
    known = _known.get(key)
    if known is None:
        try:
            sizes, steps = tuple(map(int, shape)), tuple(map(int, stride or ()))
        except AttributeError:  # nor has a jagged one
            return Opaque(type(tensor).__name__)
        known = _known[key] = TensorType(short(tensor.dtype), sizes, device=device, stride=steps)
    return known


_REAL = frozenset({torch.Tensor, torch.nn.Parameter})


_known: Dict[Any, TensorType] = {}


def short(dtype: torch.dtype) -> str:
    """`f32` for `torch.float32`."""
    return _SHORT.get(dtype) or str(dtype).replace("torch.", "")


_SHORT = {getattr(torch, full): short for short, full in DTYPES.items() if hasattr(torch, full)}


def _value(item: Any, depth: int) -> Value:
    cls = type(item)  # never `isinstance`: it may ask the item for its `__class__`, which is user code
    if issubclass(cls, torch.Tensor):
        return tensor_type(item)
    if cls in PLAIN or depth == 0:
        return Opaque(_plain(item))
    held = members(item, cls)
    if issubclass(cls, tuple):
        names = getattr(cls, "_fields", ())
        return _group("object" if names else "tuple", held, depth, names, cls.__name__ if names else "")
    if issubclass(cls, list):
        return _group("list", held, depth)
    if cls in _fields_of:
        return _group("object", held, depth, _fields_of[cls], cls.__name__)
    if issubclass(cls, dict):
        return _group("dict", held, depth, [_plain(key) for key in itertools.islice(dict.keys(item), MAX_ITEMS)])
    if issubclass(cls, (set, frozenset)):
        return _group("set", held, depth)
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


def field_of(item: Any, name: str) -> Any:
    """A field of a dataclass; None when it was declared and never set.  Runs no code of the user's."""
    try:
        return object.__getattribute__(item, name)
    except AttributeError:  # declared, not set
        return None


def _plain(item: Any) -> str:
    if type(item) in (bool, int, float, Unknown, complex, str, type(None)):
        text = repr(item)
        return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
    return type(item).__name__

"""Fake kernels know sizes but check few dtypes: a fake `nn.Linear` takes integers, a real one refuses them.

So each function is tried once on real zeros for every combination of dtypes that is not one plain floating dtype.
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Tuple

import torch
from torch._subclasses import fake_tensor

LARGEST = 1 << 20
"""Elements of all tensors of a call; above that their sizes are cut for the trial."""
CUT = 16

_PLAIN = frozenset({torch.float32, torch.float64, torch.float16, torch.bfloat16})
_ABOUT_DTYPES = re.compile(
    "dtype|scalar type|not implemented for|can't be cast|[Bb]ool(ean)? (input|tensor)|floating point"
)
_HARMLESS = frozenset({"__get__", "__set__", "__setitem__", "to", "type"})


class DtypeCheck:
    """Remembers what was tried; one per process."""

    def __init__(self) -> None:
        self._tried: Dict[Tuple[Any, ...], str] = {}

    def refusal(self, func: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any], given: List[torch.Tensor]) -> str:
        """What real tensors of these dtypes would be refused with; empty when they are taken, or nobody can tell."""
        dtypes = tuple(tensor.dtype for tensor in given)
        if (len(set(dtypes)) == 1 and dtypes[0] in _PLAIN) or getattr(func, "__name__", "") in _HARMLESS:
            return ""
        if (func, dtypes) not in self._tried:
            self._tried[func, dtypes] = self._refused(func, args, kwargs, given)
        return self._tried[func, dtypes]

    def _refused(self, func: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any], given: List[torch.Tensor]) -> str:
        large = sum(tensor.numel() for tensor in given) > LARGEST
        with torch.no_grad(), fake_tensor.unset_fake_temporarily(), torch._C.DisableTorchFunction():
            try:
                func(*(_zeros(arg, large) for arg in args), **{key: _zeros(arg, large) for key, arg in kwargs.items()})
            except Exception as error:  # any other complaint is about the values or the sizes of the trial
                text = str(error).split("\n")[0]
                return f"{type(error).__name__}: {text}" if _ABOUT_DTYPES.search(text) else ""
        return ""


def _zeros(item: Any, large: bool) -> Any:
    if isinstance(item, torch.Tensor):
        sizes = [min(size, CUT) if large else size for size in item.shape]
        return torch.zeros(sizes, dtype=item.dtype)
    if type(item) in (tuple, list):
        return type(item)(_zeros(part, large) for part in item)
    return item

"""Whether the result of a call is new memory, or that of something it was given."""

from __future__ import annotations

from typing import Any, Iterable, Optional

import torch
from torch._subclasses.fake_tensor import FakeTensor

from fx_lsp.worker.capture.describe import PLAIN

NEW = -1
"""Number of the input, where it is none."""

KNOWN = frozenset({torch.Tensor, torch.nn.Parameter, FakeTensor})
"""Types of tensors whose memory is asked for; others may run code of the user's to answer."""


def storage(item: Any) -> int:
    """What the memory of a tensor, or of several that share one, is known by; 0 when nobody can tell."""
    if type(item) in KNOWN:
        try:
            return item.untyped_storage()._cdata if item.layout is torch.strided else 0
        except (RuntimeError, NotImplementedError):  # a nested tensor, or one of a transform
            return 0
    found = {storage(one) for one in item} if type(item) in (tuple, list) else set()
    return found.pop() if len(found) == 1 else 0


def view_of(result: Any, given: Iterable[Any]) -> Optional[int]:
    """The first of the tensors, or groups of them, given that `result` shares its memory with; NEW when none does.

    `given` are those that count as inputs.  None when nobody can tell.
    """
    held = storage(result)
    if not held:
        return None
    for number, item in enumerate(given):
        found = [storage(one) for one in item] if type(item) in (tuple, list) else [storage(item)]
        if held in found:
            return number
        if not all(found):
            return None
    return NEW


def scattered(items: Iterable[Any]) -> bool:
    """Whether one of the tensors is not contiguous, or nobody can tell."""
    for item in items:
        if type(item) in KNOWN:
            if item.layout is not torch.strided or not item.is_contiguous():
                return True
        elif type(item) in (tuple, list):
            if scattered(item):
                return True
        elif type(item) not in PLAIN:
            return True
    return False

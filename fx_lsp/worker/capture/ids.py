"""The numbers of a tensor of ids, where they are known: it is real, or was made from data that is written out."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import torch
from torch._subclasses.fake_tensor import FakeTensor, unset_fake_temporarily

MAX_IDS = 1 << 20
"""Of more, nobody looks."""
_WHOLE = frozenset({torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8})


def extremes(ids: Any) -> Optional[Tuple[int, int]]:
    """The smallest and the largest of them."""
    data = _known(ids)
    if data is None:
        return None
    with unset_fake_temporarily(), torch._C.DisableTorchFunction():
        return int(data.min()), int(data.max())


def is_falling(lengths: Any) -> Optional[bool]:
    """Whether each is as large as the next one or larger; None where they are not known."""
    data = _known(lengths)
    if data is None:
        return None
    with unset_fake_temporarily(), torch._C.DisableTorchFunction():
        return bool((data[1:] <= data[:-1]).all())


def _known(ids: Any) -> Optional[torch.Tensor]:
    data = ids.constant if type(ids) is FakeTensor else ids
    if type(data) is not torch.Tensor or data.dtype not in _WHOLE or data.is_meta or not 0 < data.numel() <= MAX_IDS:
        return None
    return data if torch._C._functorch.peek_interpreter_stack() is None else None

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
    data = ids.constant if type(ids) is FakeTensor else ids
    if type(data) is not torch.Tensor or data.dtype not in _WHOLE or data.is_meta or not 0 < data.numel() <= MAX_IDS:
        return None
    if torch._C._functorch.peek_interpreter_stack() is not None:
        return None
    with unset_fake_temporarily(), torch._C.DisableTorchFunction():
        return int(data.min()), int(data.max())

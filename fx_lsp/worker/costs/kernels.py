"""Memory that the processor's kernels of convolutions need for themselves while they run.

They compute on copies of what they take and give, in the order that their instructions want; no operator tells of it.
What is said here was measured: it is exact for kernels larger than one in nearly all sizes, and they need nothing else.
"""

from __future__ import annotations

from typing import Any, List

import torch

_FORWARD, _BACKWARD = torch.ops.aten.convolution.default, torch.ops.aten.convolution_backward.default
_COPIED = frozenset({torch.float32, torch.bfloat16, torch.float16})
FEW = 8
"""Fewer channels than that are read as they are."""


def scratch(func: Any, args: Any, results: List[torch.Tensor]) -> int:
    """Bytes that are in use besides the results, at most at once."""
    if func is _FORWARD:
        (given, weight), made = args[:2], results[0]
        if not _copies(given, weight):
            return 0
        return max(_size(made), _size(weight) + (_size(given) if given.size(1) >= FEW else 0))
    if func is _BACKWARD:
        made, given, weight = args[:3]
        return _size(made) + _size(given) if _copies(given, weight) else 0
    return 0


def _copies(given: torch.Tensor, weight: torch.Tensor) -> bool:
    pointwise = all(size == 1 for size in weight.shape[2:])
    return not pointwise and given.dtype in _COPIED and given.is_contiguous() and given.device.type == "cpu"


def _size(tensor: torch.Tensor) -> int:
    return tensor.numel() * tensor.element_size()

"""Sizes of what normalisations give, for which torch has only a decomposition: a dozen operations on fake tensors each,
four fifths of the time of a ResNet.

Only plain cases: contiguous tensors of one floating type.  All others, and all checks, stay torch's.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Tuple

import torch
from torch._subclasses import fake_tensor

Made = Optional[Tuple[torch.Tensor, ...]]
aten = torch.ops.aten


def _batch_norm(
    x: torch.Tensor, weight: Any, bias: Any, mean: Any, var: Any, training: bool, momentum: float, eps: float
) -> Made:
    if x.dim() < 2 or not _alike(x, weight, bias, mean, var):
        return None
    if training == (mean is not None):
        return None  # they change, or are missing
    return torch.empty_like(x), *(x.new_empty((x.shape[1] if training else 0,)) for _ in range(2))


def _layer_norm(x: torch.Tensor, sizes: Any, weight: Any, bias: Any, eps: float) -> Made:
    kept = x.dim() - len(sizes)
    if not sizes or not _alike(x, weight, bias) or list(x.shape[kept:]) != list(sizes) or x.numel() == 0:
        return None
    if any(one is not None and list(one.shape) != list(sizes) for one in (weight, bias)):
        return None
    stats = (*x.shape[:kept], *(1 for _ in sizes))
    return torch.empty_like(x), *(x.new_empty(stats) for _ in range(2))


def _alike(x: torch.Tensor, *others: Any) -> bool:
    """Contiguous and of one type, as models on the processor have them."""
    return all(
        one is None
        or (type(one) is fake_tensor.FakeTensor and one.dtype is x.dtype and one.is_contiguous())
        for one in (x, *others)
    ) and x.dtype in (torch.float32, torch.float64)  # fmt: skip


KERNELS: Dict[Any, Callable[..., Made]] = {
    aten.native_batch_norm.default: _batch_norm,
    aten.native_layer_norm.default: _layer_norm,
}


def install(mode: fake_tensor.FakeTensorMode) -> None:
    """Have the mode ask these before it works an operator out."""
    work_out: Callable[..., Any] = mode._dispatch_impl

    def _dispatch_impl(func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        kernel = KERNELS.get(func)
        made = kernel(*args, **kwargs) if kernel is not None and not kwargs else None
        return made if made is not None else work_out(func, types, args, kwargs)

    mode._dispatch_impl = _dispatch_impl  # type: ignore[method-assign]

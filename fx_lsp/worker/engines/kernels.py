"""What some operators give, sooner than torch works it out.

Normalisations have only a decomposition: a dozen operations on fake tensors each, four fifths of the time of a ResNet.
`_unsafe_view`, which follows each linear layer without a bias, is never cached, though it is worked out as `view` is.
Only plain cases: contiguous tensors of one floating type.  All others, and all checks, stay torch's, but for those of
the dim of a softmax, of the sizes of `index_add` and `index_put` and of the mask of `masked_fill_`, which torch makes
for real tensors only.
"""

from __future__ import annotations

import math
import warnings
from functools import cache
from typing import Any, Callable, Dict, Tuple, Union

import torch
from torch._subclasses import fake_tensor

from fx_lsp.worker.engines.masks import is_mask, placed

Made = Union[None, torch.Tensor, Tuple[torch.Tensor, ...]]
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


def _unsafe_view(x: torch.Tensor, size: Any) -> Made:
    plain = _alike(x) and all(type(one) is int and one >= 0 for one in size) and math.prod(size) == x.numel()
    return x.view(size) if plain else None


def _softmax(x: torch.Tensor, dim: int, half_to_float: bool) -> Made:
    """Only the check, which torch's decomposition lacks: it takes any dim."""
    rank = max(x.dim(), 1)
    if not -rank <= dim < rank:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})")
    return None


def _index_add(x: torch.Tensor, dim: int, index: torch.Tensor, source: torch.Tensor) -> Made:
    """Only the check, which torch's decomposition lacks: what is added is as large as what it is added to."""
    rank = x.dim()
    if rank and source.dim() and -rank <= dim < rank:
        own, added = list(x.shape), list(source.shape)
        if (
            len(added) != rank
            or own[: dim % rank] + own[dim % rank + 1 :] != added[: dim % rank] + added[dim % rank + 1 :]
        ):
            raise RuntimeError(
                "source tensor shape must match self tensor shape, excluding the specified dimension. "
                f"Got self.shape = {own} source.shape = {added}"
            )
    return None


def _embedding(weight: torch.Tensor, indices: torch.Tensor, *others: Any) -> Made:
    """Only the check, which the rule for sizes lacked before torch 2.12."""
    if indices.dtype not in (torch.int64, torch.int32):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; "
            f"but got {indices.dtype} instead"
        )
    return None


def _index_put(x: torch.Tensor, indices: Any, values: torch.Tensor, *others: Any) -> Made:
    """Only the checks, which torch makes for real tensors: masks are as large as what they are for, and what is put
    there as what the places take."""
    _masked_put(x, indices)
    at = [place for place, one in enumerate(indices) if one is not None]
    given = [indices[place] for place in at]
    if not given or any(one.dtype not in (torch.int64, torch.int32) for one in given) or len(indices) > x.dim():
        return None
    if any(type(size) is not int for one in (x, values, *given) for size in one.shape):
        return None
    rest = [size for place, size in enumerate(x.shape) if place not in at]
    front = at[0] if at[-1] - at[0] + 1 == len(at) else 0
    part = [*rest[:front], *torch.broadcast_shapes(*(one.shape for one in given)), *rest[front:]]
    ends = zip(reversed(values.shape), reversed(part))
    if values.dim() > len(part) or any(one not in (1, size) for one, size in ends):
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing result of "
            f"shape {part}"
        )
    return None


def _masked_put(x: torch.Tensor, indices: Any) -> None:
    """Whether masks have the sizes of the dims that they are for.

    Raises:
        IndexError: in torch's words.
    """
    index = tuple(slice(None) if one is None else one for one in indices)
    for mask, at, _ in (part for part in placed(tuple(x.shape), index) if is_mask(part[0])):
        for dim, (size, wanted) in enumerate(zip(mask.shape, x.shape[at:])):
            if type(size) is int is type(wanted) and size != wanted:
                raise IndexError(
                    f"The shape of the mask {[*mask.shape]} at index {dim} does not match the shape of the indexed "
                    f"tensor {[*x.shape]} at index {at + dim}"
                )


def _masked_fill(x: torch.Tensor, mask: torch.Tensor, value: Any) -> Made:
    """Only the check of the type, which torch's decomposition lacks where it is done in place."""
    if mask.dtype is not torch.bool and not (mask.dtype is torch.uint8 and _bytes_are_masks()):
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {mask.dtype}")
    return None


@cache
def _bytes_are_masks() -> bool:
    """Whether this torch still fills where there are ones."""
    with torch._C._DisableTorchDispatch(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            torch.zeros(1).masked_fill_(torch.zeros(1, dtype=torch.uint8), 0)
        except RuntimeError:
            return False
    return True


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
    aten._unsafe_view.default: _unsafe_view,
    aten._softmax.default: _softmax,
    aten._log_softmax.default: _softmax,
    aten.embedding.default: _embedding,
    aten.index_put.default: _index_put,
    aten.index_put_.default: _index_put,
    aten.index_add.default: _index_add,
    aten.index_add_.default: _index_add,
    aten.masked_fill_.Scalar: _masked_fill,
    aten.masked_fill_.Tensor: _masked_fill,
}


def install(mode: fake_tensor.FakeTensorMode) -> None:
    """Have the mode ask these before it works an operator out."""
    work_out: Callable[..., Any] = mode._dispatch_impl

    def _dispatch_impl(func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        kernel = KERNELS.get(func)
        made = kernel(*args, **kwargs) if kernel is not None and not kwargs else None
        return made if made is not None else work_out(func, types, args, kwargs)

    mode._dispatch_impl = _dispatch_impl  # type: ignore[method-assign]

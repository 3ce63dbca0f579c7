"""Matrices multiplied group by group: processors take three types of numbers, torch's rule for fake tensors one."""

from __future__ import annotations

from typing import Any, List, Optional

import torch

_ALIGNMENT = 16
"""Bytes that a row, or a column, is a multiple of."""


def install() -> None:
    """Add the rule; a torch that has no such operation, or no place for rules, is left as it is."""
    try:
        from torch._subclasses.fake_impls import op_implementations_dict as rules

        operation = torch.ops.aten._grouped_mm.default
    except (ImportError, AttributeError):
        return
    rules.setdefault(operation, _multiplied)


def _multiplied(
    mode: Any, operation: Any, a: torch.Tensor, b: torch.Tensor, offs: Optional[torch.Tensor] = None,
    bias: Optional[torch.Tensor] = None, out_dtype: Optional[torch.dtype] = None,
) -> Any:  # fmt: skip
    handled = (torch.float32, torch.float16)
    if a.dtype not in handled or a.dtype is not b.dtype or out_dtype not in (None, a.dtype) or bias is not None:
        return NotImplemented
    if a.dim() not in (2, 3) or b.dim() not in (2, 3) or (offs is None) is not (a.dim() == b.dim() == 3):
        return NotImplemented
    for matrix in (a, b):
        _check(matrix)
    if not a.dim() == b.dim() == 2 and a.shape[-1] != b.shape[-2]:
        raise RuntimeError("contraction dimension of mat_a and mat_b must match")
    shape: List[Any] = [a.shape[-2], b.shape[-1]]
    if a.dim() == b.dim():
        shape.insert(0, a.shape[0] if offs is None else offs.shape[0])
    step = _ALIGNMENT // a.element_size()
    row = (shape[-1] + step - 1) // step * step
    with mode:
        strides = [shape[-2] * row, row, 1][-len(shape) :]
        return torch.empty_strided(shape, strides, dtype=a.dtype, device=a.device)


def _check(matrix: torch.Tensor) -> None:
    step = _ALIGNMENT // matrix.element_size()
    last, before = matrix.stride(-1), matrix.stride(-2)
    column = before == 1 and last >= max(1, matrix.shape[-2]) and last % step == 0
    if not column and not (last == 1 and before >= max(1, matrix.shape[-1]) and before % step == 0):
        raise RuntimeError("strides should be multiple of 16 bytes")

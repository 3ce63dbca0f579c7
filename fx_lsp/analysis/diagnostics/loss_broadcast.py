"""A loss of sizes that differ, and so of each prediction with each target.

    loss = F.mse_loss(pred, target)  # f32[8, 1] and f32[8]: the mean of 64 differences

Instead: the same sizes, `pred.squeeze(-1)`.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._operations import told
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.trace import Operation, OperationVariant
from fx_lsp.model.value import TensorType, label

_TARGETS = frozenset(
    {f"torch.nn.functional.{name}_loss" for name in ("mse", "l1", "smooth_l1", "huber")}
    | {"MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss"}
)


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each place where both grow."""
    for span, message in told(snapshot, _grown):
        yield Problem(span, "warning", RULE.id, message)


def _grown(operation: Operation, variant: OperationVariant) -> str | None:
    tensors = [one for one in variant.inputs[:2] if isinstance(one, TensorType)]
    if operation.target not in _TARGETS or len(tensors) != 2:
        return None
    one, two = tensors
    size = _together(one.shape, two.shape)
    if size is None or math.prod(size) <= max(math.prod(one.shape), math.prod(two.shape)):
        return None
    return f"{label(one)} and {label(two)} are compared as {list(size)}: each with each"


def _together(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...] | None:
    """The sizes that both are broadcast to."""
    rank = max(len(left), len(right))
    pairs = list(zip((1,) * (rank - len(left)) + left, (1,) * (rank - len(right)) + right, strict=True))
    return tuple(map(max, pairs)) if all(one == two or 1 in (one, two) for one, two in pairs) else None


RULE = Rule(id="loss-broadcast", title="A loss of each prediction with each target", find=find)

"""A loss of sizes that differ, and so of each prediction with each target.

    loss = F.mse_loss(pred, target)  # f32[8, 1] and f32[8]: the mean of 64 differences

Instead: the same sizes, `pred.squeeze(-1)`.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._operations import ran
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.span import Span
from fx_lsp.model.value import TensorType, label

_TARGETS = frozenset(
    {f"torch.nn.functional.{name}_loss" for name in ("mse", "l1", "smooth_l1", "huber")}
    | {"MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss"}
)


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each place where both grow."""
    seen: set[Span] = set()
    for operation in ran(snapshot):
        for variant in operation.variants if operation.target in _TARGETS and operation.span not in seen else ():
            shapes = [one for one in variant.inputs[:2] if isinstance(one, TensorType)]
            size = _together(*(one.shape for one in shapes)) if len(shapes) == 2 else None
            if size is not None and math.prod(size) > max(math.prod(one.shape) for one in shapes):
                seen.add(operation.span)
                one, two = map(label, shapes)
                message = f"{one} and {two} are compared as {list(size)}: each with each"
                yield Problem(operation.span, "warning", RULE.id, message)
                break


def _together(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...] | None:
    """The sizes that both are broadcast to."""
    rank = max(len(left), len(right))
    pairs = list(zip((1,) * (rank - len(left)) + left, (1,) * (rank - len(right)) + right, strict=True))
    return tuple(map(max, pairs)) if all(one == two or 1 in (one, two) for one, two in pairs) else None


RULE = Rule(id="loss-broadcast", title="A loss of each prediction with each target", find=find)

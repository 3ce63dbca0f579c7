"""A target of another type than the loss takes.

    loss = F.cross_entropy(logits, labels.float())  # f32[8, 10] and f32[8]

Instead: classes are numbers of i64; probabilities, and targets of binary cross entropy, are floats as the prediction,
of the same size: `boxes.float()` of what numpy made.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call
from fx_lsp.analysis.causes.loss_sizes import CLASSES, EQUAL

_WHOLE = ("i", "u", "b8")
"""How types start that are not floats."""
_OF_ONE_TYPE = {"binary_cross_entropy", "BCELoss"}
"""Losses that take no target of another precision."""


def explain(call: Call) -> str | None:
    """From both, where the sizes are right."""
    x, target = call.operand(0, "input"), call.operand(1, "target")
    if x is None or target is None or not x.shape or target.shape is None or not x.dtype or not target.dtype:
        return None
    if call.target in EQUAL:
        if x.shape == target.shape and target.dtype.startswith(_WHOLE):
            return f"{call.name} takes a target of floats, and {target.known('the target')} holds {target.dtype}"
        alone = call.target in _OF_ONE_TYPE and call.shape(2, "weight") is None
        if alone and x.shape == target.shape and {x.dtype, target.dtype} == {"f32", "f64"}:
            return f"{call.name} takes a target of {x.dtype}, and {target.known('the target')} holds {target.dtype}"
        return None
    of_classes = target.shape == (x.shape[0], *x.shape[2:]) if len(x.shape) > 1 else not target.shape
    if of_classes and target.dtype not in ("i64", "u8"):
        return f"{call.name} takes the numbers of classes, i64, and {target.known('the target')} holds {target.dtype}"
    return None


CAUSE = Cause("loss-dtypes", "A target of another type", CLASSES | EQUAL, explain)

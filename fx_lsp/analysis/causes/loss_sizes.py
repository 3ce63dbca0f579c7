"""A loss of predictions and targets that do not fit.

    loss = F.cross_entropy(logits, target)  # f32[8, 10, 100] and i64[8, 10]

Instead: `cross_entropy` takes classes in dim 1, `logits.transpose(1, 2)` or `logits.flatten(0, 1)`.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, Operand

CLASSES = {"cross_entropy", "nll_loss", "CrossEntropyLoss", "NLLLoss"}
EQUAL = {"binary_cross_entropy", "binary_cross_entropy_with_logits", "BCELoss", "BCEWithLogitsLoss", "kl_div"}


def explain(call: Call) -> str | None:
    """From both sizes."""
    x, target = call.operand(0, "input"), call.operand(1, "target")
    if x is None or target is None or x.shape is None or target.shape is None:
        return None
    a, b = x.known("the prediction"), target.known("the target")
    if call.target in EQUAL:
        return f"{call.name} takes equal sizes, and {a} and {b} are not" if x.shape != target.shape else None
    if x.shape == target.shape and target.dtype.startswith(("i", "u")):
        return f"{call.name} takes the number of a class for each place, and {b} has one for each class as {a} has"
    wanted = (x.shape[0], *x.shape[2:]) if len(x.shape) > 1 else ()
    if x.shape == target.shape and call.target in ("nll_loss", "NLLLoss") and len(x.shape) > 1:
        return f"{call.name} takes the number of a class for each place, {list(wanted)}, and {b} has one for each class"
    if x.shape == target.shape or target.shape == wanted:
        return _weighted(call, x)
    text = f"{call.name} takes classes in dim 1 of {a}, and so a target of {list(wanted)}; {b} is none"
    return text + ("; its last dim may be the classes" if x.shape[:-1] == target.shape else "")


def _weighted(call: Call, x: Operand) -> str | None:
    """Where both fit: from the weights of the classes."""
    weight = call.operand(2, "weight") if call.target in ("cross_entropy", "nll_loss") else None
    classes = (x.shape or ())[:2][-1:]
    if weight is None or not weight.shape or weight.shape == classes:
        return None
    each = f"{call.name} takes a weight for each class, {list(classes)} for {x.known('the prediction')}"
    return f"{each}, and {weight.known('the weight')} is none"


CAUSE = Cause("loss-sizes", "A loss of what does not fit", CLASSES | EQUAL, explain)

"""A loss of probabilities gets numbers that are none.

    loss = F.binary_cross_entropy(logits, target)  # below 0 or above 1

Instead: `F.binary_cross_entropy_with_logits`, which is more exact than a sigmoid before it.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call


def explain(call: Call) -> str | None:
    """What else can be wrong when sizes and types are right."""
    x, target = call.operand(0, "input"), call.operand(1, "target")
    weight = call.operand(2, "weight")
    if weight is not None and weight.shape is not None:
        return None
    if x is None or target is None or x.shape is None or x.shape != target.shape or x.dtype != target.dtype:
        return None
    return f"{call.name} takes probabilities, from 0 to 1, and {x.known()} has others"


CAUSE = Cause("logits-given", "A loss of what are no probabilities", {"binary_cross_entropy", "BCELoss"}, explain)

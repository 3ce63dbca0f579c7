"""A sigmoid that rounds to zero or one has no useful gradient; with logits nothing is rounded.

Before:
    loss = F.binary_cross_entropy(torch.sigmoid(logits), target)
After:
    loss = F.binary_cross_entropy_with_logits(logits, target)
"""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.rewrites import Found, Rewrite, moved, pairs
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._losses import layered

_FUNCTION = pairs(
    *moved("F.binary_cross_entropy({}, y)", "torch.sigmoid(x)", "F.binary_cross_entropy_with_logits({}, y)", "x"),
    further=("weight", "reduction"),
    shared=True,
)
_LAYER = layered("BCELoss", "BCEWithLogitsLoss", "torch.sigmoid(x)")


def find(flow: Flow) -> Iterator[Found]:
    """Of the function, and of the layer with settings of its own, which the other one is made with instead."""
    yield from _FUNCTION(flow)
    yield from _LAYER(flow)


RULE = Rewrite("bce-of-sigmoid", "Use binary_cross_entropy_with_logits", find)

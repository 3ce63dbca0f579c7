"""One function does both, in one pass.

Before:
    loss = F.nll_loss(F.log_softmax(logits, dim=1), target)
After:
    loss = F.cross_entropy(logits, target)
"""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.rewrites import Found, Rewrite, moved, pairs
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._losses import layered

_FUNCTION = pairs(
    *moved("F.nll_loss({}, y)", "F.log_softmax(x, c)", "F.cross_entropy({}, y)", "x"),
    further=("weight", "ignore_index", "reduction"),
    shared=True,
)
_LAYER = layered("NLLLoss", "CrossEntropyLoss", "F.log_softmax(x, c)")


def find(flow: Flow) -> Iterator[Found]:
    """Of the function, and of the layer with settings of its own, which the other one is made with instead."""
    yield from _FUNCTION(flow)
    yield from _LAYER(flow)


RULE = Rewrite("nll-of-log-softmax", "Use cross_entropy", find)

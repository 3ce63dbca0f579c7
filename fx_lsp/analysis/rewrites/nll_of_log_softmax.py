"""One function does both, in one pass.

Before:
    loss = F.nll_loss(F.log_softmax(logits, dim=1), target)
After:
    loss = F.cross_entropy(logits, target)
"""

from __future__ import annotations

from fx_lsp.analysis.rewrites import Rewrite, moved, pairs

RULE = Rewrite(
    "nll-of-log-softmax",
    "Use cross_entropy",
    pairs(
        *moved("F.nll_loss({}, y)", "F.log_softmax(x, c)", "F.cross_entropy({}, y)", "x"),
        further=("weight", "ignore_index", "reduction"),
        shared=True,
    ),
)

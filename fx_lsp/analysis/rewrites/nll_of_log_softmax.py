"""One function does both, in one pass.

Before:
    loss = F.nll_loss(F.log_softmax(logits, dim=1), target)
After:
    loss = F.cross_entropy(logits, target)
"""

from __future__ import annotations

from fx_lsp.analysis.rewrites import Rewrite, pairs

RULE = Rewrite(
    "nll-of-log-softmax",
    "Use cross_entropy",
    pairs(
        ("F.nll_loss(F.log_softmax(x, d), y)", "F.cross_entropy(x, y)"),
        further=("weight", "ignore_index", "reduction"),
        shared=True,
    ),
)

"""A sigmoid that rounds to zero or one has no useful gradient; with logits nothing is rounded.

Before:
    loss = F.binary_cross_entropy(torch.sigmoid(logits), target)
After:
    loss = F.binary_cross_entropy_with_logits(logits, target)
"""

from __future__ import annotations

from fx_lsp.analysis.rewrites import Rewrite, moved, pairs

RULE = Rewrite(
    "bce-of-sigmoid",
    "Use binary_cross_entropy_with_logits",
    pairs(
        *moved("F.binary_cross_entropy({}, y)", "torch.sigmoid(x)", "F.binary_cross_entropy_with_logits({}, y)", "x"),
        further=("weight", "reduction"),
        shared=True,
    ),
)

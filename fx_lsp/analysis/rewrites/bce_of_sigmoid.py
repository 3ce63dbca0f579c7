"""A sigmoid that rounds to zero or one has no useful gradient; with logits nothing is rounded.

Before:
    loss = F.binary_cross_entropy(torch.sigmoid(logits), target)
After:
    loss = F.binary_cross_entropy_with_logits(logits, target)
"""

from __future__ import annotations

from fx_lsp.analysis.rewrites import Rewrite, pairs

RULE = Rewrite(
    "bce-of-sigmoid",
    "Use binary_cross_entropy_with_logits",
    pairs(
        ("F.binary_cross_entropy(torch.sigmoid(x), y)", "F.binary_cross_entropy_with_logits(x, y)"),
        further=("weight", "reduction"),
        shared=True,
    ),
)

"""A sigmoid that rounds to zero or one has no useful gradient; with logits nothing is rounded.

Before:
    loss = F.binary_cross_entropy(torch.sigmoid(logits), target)
After:
    loss = F.binary_cross_entropy_with_logits(logits, target)
"""

from __future__ import annotations

from fx_lsp.analysis.rewrites import Rewrite, pairs

_SHAPES = ("{}", "torch.squeeze({})", "torch.squeeze({}, d)", "torch.flatten({})", "torch.flatten({}, d)", "{}[d]")
"""What may come between, which moves numbers and changes none."""
RULE = Rewrite(
    "bce-of-sigmoid",
    "Use binary_cross_entropy_with_logits",
    pairs(
        *(
            (
                f"F.binary_cross_entropy({shape.format('torch.sigmoid(x)')}, y)",
                f"F.binary_cross_entropy_with_logits({shape.format('x')}, y)",
            )
            for shape in _SHAPES
        ),
        further=("weight", "reduction"),
        shared=True,
    ),
)

"""The logarithm of a softmax loses small probabilities: they round to zero first.

Before:
    y = x.softmax(-1).log()
After:
    y = F.log_softmax(x, dim=-1)
"""

from __future__ import annotations

from fx_lsp.analysis.rewrites import Rewrite, moved, pairs

RULE = Rewrite(
    "log-of-softmax",
    "Use log_softmax",
    pairs(*moved("torch.log({})", "torch.softmax(x, c)", "{}", "F.log_softmax(x, dim=c)"), shared=True),
)

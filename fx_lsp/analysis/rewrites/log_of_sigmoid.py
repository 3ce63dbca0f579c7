"""The logarithm of a sigmoid is infinite where the sigmoid rounds to zero.

Before:
    y = torch.log(torch.sigmoid(x))
After:
    y = F.logsigmoid(x)
"""

from __future__ import annotations

from fx_lsp.analysis.rewrites import Rewrite, pairs

RULE = Rewrite(
    "log-of-sigmoid", "Use logsigmoid", pairs(("torch.log(torch.sigmoid(x))", "F.logsigmoid(x)"), shared=True)
)

"""Near zero the difference loses nearly all its digits.

Before:
    y = torch.exp(x) - 1
After:
    y = torch.expm1(x)
"""

from __future__ import annotations

from fx_lsp.analysis.rewrites import Rewrite, pairs

RULE = Rewrite("exp-minus-one", "Use expm1", pairs(("torch.exp(x) - 1", "torch.expm1(x)")))

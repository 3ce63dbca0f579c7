"""Near zero the sum loses nearly all digits of what is added to one.

Before:
    y = torch.log(1 + x)
After:
    y = torch.log1p(x)
"""

from __future__ import annotations

from fx_lsp.analysis.rewrites import Rewrite, pairs

RULE = Rewrite("log-of-one-plus", "Use log1p", pairs(("torch.log(1 + x)", "torch.log1p(x)")))

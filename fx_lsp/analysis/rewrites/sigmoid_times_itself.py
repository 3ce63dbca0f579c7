"""Two functions where there is one.

Before:
    y = x * torch.sigmoid(x)
After:
    y = F.silu(x)
"""

from __future__ import annotations

from fx_lsp.analysis.rewrites import Rewrite, pairs

RULE = Rewrite("sigmoid-times-itself", "Use silu", pairs(("x * torch.sigmoid(x)", "F.silu(x)")))

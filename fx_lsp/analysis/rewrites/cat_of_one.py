"""Tensors put together of which there is but one.

Before:
    y = torch.cat([x], dim=1)
After:
    y = x
"""

from __future__ import annotations

from fx_lsp.analysis.rewrites import Rewrite, pairs

RULE = Rewrite("cat-of-one", "Take the cat away", pairs(("torch.cat((x,), d)", "x"), ("torch.cat((x,))", "x")))

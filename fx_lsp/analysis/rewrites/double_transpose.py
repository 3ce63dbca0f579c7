"""Dims that are swapped and swapped back.

Before:
    y = x.transpose(1, 2).transpose(1, 2)
After:
    y = x
"""

from __future__ import annotations

from fx_lsp.analysis.rewrites import Rewrite, pairs

RULE = Rewrite(
    "double-transpose", "Take both transposes away", pairs(("torch.transpose(torch.transpose(x, a, b), a, b)", "x"))
)

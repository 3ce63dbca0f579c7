"""The sum of exponentials overflows where its logarithm would not.

Before:
    y = torch.log(torch.exp(x).sum(-1))
After:
    y = torch.logsumexp(x, dim=-1)
"""

from __future__ import annotations

from fx_lsp.analysis.rewrites import Rewrite, pairs

RULE = Rewrite(
    "log-of-sum-of-exp",
    "Use logsumexp",
    pairs(
        ("torch.log(torch.sum(torch.exp(x), d))", "torch.logsumexp(x, dim=d)"),
        ("torch.log(torch.sum(torch.exp(x), d, k))", "torch.logsumexp(x, dim=d, keepdim=k)"),
    ),
)

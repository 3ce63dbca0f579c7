"""Dropout that drops nothing, also in training.

Before:
    y = F.dropout(x, 0.0, self.training)
After:
    y = x
"""

from __future__ import annotations

from fx_lsp.analysis.rewrites import Rewrite, given_instead
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import Term, plain


def _drops_nothing(_: Flow, term: Term) -> str | None:
    """Whether its probability is written as 0."""
    return "" if term.op == "dropout" and plain(term.get(1, "p")) == 0 else None


RULE = Rewrite("dropout-of-nothing", "Take the dropout away", given_instead(_drops_nothing))

"""Dropout that drops nothing, also in training.

Before:
    y = F.dropout(x, 0.0, self.training)
After:
    y = x
"""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import plain
from fx_lsp.analysis.rewrites._write import Unwritable, replaced


def find(flow: Flow) -> Iterator[Found]:
    """Each call whose probability is written as 0."""
    for term, statement in flow.roots:
        if term.op != "dropout" or term.node is None or plain(term.get(1, "p")) != 0:
            continue
        try:
            yield Found(term.node, replaced(flow, term, statement, "x", {"x": term.args[0]}))
        except Unwritable:
            continue


RULE = Rewrite("dropout-of-nothing", "Take the dropout away", find)

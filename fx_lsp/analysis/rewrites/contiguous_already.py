"""A copy to one piece of memory of what lies in one piece.

Before:
    y = self.fc(x).contiguous().view(-1)
After:
    y = self.fc(x).view(-1)
"""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._write import Unwritable, replaced


def find(flow: Flow) -> Iterator[Found]:
    """Where what it is called on is an operation whose output was contiguous whenever it ran."""
    for term, statement in flow.roots:
        if term.op != "contiguous" or len(term.args) != 1 or term.named:
            continue
        made = term.args[0]
        known = flow.definitions.get(made.value) if made.op == "name" else None
        made = known.term if known is not None else made
        output = flow.file.output(made.node) if made.node is not None and made.op != "name" else None
        if output is None or output.stride or term.node is None:
            continue
        try:
            yield Found(term.node, replaced(flow, term, statement, "x", {"x": term.args[0]}))
        except Unwritable:
            continue


RULE = Rewrite("contiguous-already", "Take the copy away", find)

"""A copy to one piece of memory of what lies in one piece.

Before:
    y = self.fc(x).contiguous().view(-1)
After:
    y = self.fc(x).view(-1)
"""

from __future__ import annotations

from fx_lsp.analysis.rewrites import Rewrite, given_instead
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import Term


def _is_contiguous(flow: Flow, term: Term) -> str | None:
    """Whether what it is called on is an operation whose output was contiguous whenever it ran."""
    if term.op != "contiguous" or len(term.args) != 1 or term.named:
        return None
    made = term.args[0]
    known = flow.definitions.get(made.value) if made.op == "name" else None
    made = known.term if known is not None else made
    output = flow.file.output(made.node) if made.node is not None and made.op != "name" else None
    return "" if output is not None and not output.stride else None


RULE = Rewrite("contiguous-already", "Take the copy away", given_instead(_is_contiguous))

"""A layer that gives what it is given.

Before:
    self.to_latent = nn.Identity()
    y = self.to_latent(x)
After:
    y = x
"""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._write import Unwritable, replaced

_SAYS = "hooks on the layer are not called any more"


def find(flow: Flow) -> Iterator[Found]:
    """Each call of an `nn.Identity` of the class."""
    for term, statement in flow.roots:
        if term.op != "identity" or term.node is None or not term.args:
            continue
        try:
            yield Found(term.node, replaced(flow, term, statement, "x", {"x": term.args[0]}), _SAYS)
        except Unwritable:
            continue


RULE = Rewrite("identity-called", "Take the identity away", find)

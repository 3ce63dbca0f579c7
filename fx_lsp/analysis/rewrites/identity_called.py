"""A layer that gives what it is given.

Before:
    self.to_latent = nn.Identity()
    y = self.to_latent(x)
After:
    y = x
"""

from __future__ import annotations

from fx_lsp.analysis.rewrites import Rewrite, given_instead
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import Term

_SAYS = "hooks on the layer are not called any more"


def _is_identity(_: Flow, term: Term) -> str | None:
    """Whether it is an `nn.Identity` of the class."""
    return _SAYS if term.op == "identity" else None


RULE = Rewrite("identity-called", "Take the identity away", given_instead(_is_identity))

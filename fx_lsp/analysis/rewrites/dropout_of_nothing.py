"""Dropout that drops nothing, also in training.

Before:
    y = F.dropout(x, 0.0, self.training)
After:
    y = x
"""

from __future__ import annotations

import ast

from fx_lsp.analysis.rewrites import Rewrite, given_instead
from fx_lsp.analysis.rewrites._calls import own_layer
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import Term, plain

_SAYS = "hooks on the layer are not called any more"


def _drops_nothing(flow: Flow, term: Term) -> str | None:
    """Whether its probability is written as 0, of a layer where the class makes it."""
    if term.op == "dropout":
        return "" if plain(term.get(1, "p")) == 0 else None
    if term.op != "dropout_layer" or not isinstance(term.node, ast.Call) or flow.file.stores("p"):
        return None  # or somebody sets another probability later
    layer = own_layer(term.node.func, flow.file.layers(flow.owner))
    given = [*layer.args[:1], *(one.value for one in layer.keywords if one.arg == "p")] if layer is not None else []
    return _SAYS if any(isinstance(one, ast.Constant) and one.value == 0 for one in given) else None


RULE = Rewrite("dropout-of-nothing", "Take the dropout away", given_instead(_drops_nothing))

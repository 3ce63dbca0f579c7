"""Dropout that drops nothing, also in training.

Before:
    y = F.dropout(x, 0.0, self.training)
After:
    y = x
"""

from __future__ import annotations

import ast

from fx_lsp.analysis.rewrites import Rewrite, given_instead
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import Term, plain

_SAYS = "hooks on the layer are not called any more"


def _drops_nothing(flow: Flow, term: Term) -> str | None:
    """Whether its probability is written as 0, of a layer where the class makes it."""
    if term.op == "dropout":
        return "" if plain(term.get(1, "p")) == 0 else None
    called = term.node.func if isinstance(term.node, ast.Call) and term.op == "dropout_layer" else None
    if not isinstance(called, ast.Attribute) or not isinstance(called.value, ast.Name) or called.value.id != "self":
        return None
    layer = flow.file.layers(flow.owner).get(called.attr)
    given = [*layer.args[:1], *(one.value for one in layer.keywords if one.arg == "p")] if layer is not None else []
    return _SAYS if any(isinstance(one, ast.Constant) and one.value == 0 for one in given) else None


RULE = Rewrite("dropout-of-nothing", "Take the dropout away", given_instead(_drops_nothing))

"""Dims asked of a loss that is one number: the loss of each by itself.

F.mse_loss(x, y).mean(dim=(1, 2))  # meant is `reduction="none"`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.loss_sizes import CLASSES, DIFFERENCES, EQUAL
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import assigned, layer_called
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path

_LOSSES = CLASSES | EQUAL | DIFFERENCES


def propose(broken: Broken) -> Iterator[Edit]:
    """Of the losses on the way, the nearest first: of the function, or where the layer is made."""
    if broken.call.shape(0, "input") != ():
        return
    for step in path(broken):
        layer = layer_called(step.source, step.node.func) if isinstance(step.node, ast.Call) else None
        calls = assigned(step.source, step.node, layer) if layer is not None else [step.node]
        for one in (one for one in calls if isinstance(one, ast.Call)):
            loss = called(one).endswith("Loss") if layer is not None else called(one) in _LOSSES
            changes = _text.added(step.source, one, 'reduction="none"') if loss else None
            if changes is not None and not any(part.arg == "reduction" for part in one.keywords):
                yield Edit('Add `reduction="none"`', step.source.path, changes)


MEND = Mend(frozenset({"dim-range", "view-elements", "index-range", "unpack-dims"}), propose)

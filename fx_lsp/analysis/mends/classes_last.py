"""Sizes that do not fit, where `one_hot` puts the classes last and the other has them in dim 1: moved there.

probs * F.one_hot(target, classes)  # [batch, classes, height, width] and [batch, height, width, classes]
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path


def propose(broken: Broken) -> Iterator[Edit]:
    """Of each on the way, the nearest first."""
    if max((len(one.shape or ()) for one in broken.call.operands), default=0) < 3 and broken.cause != "cat-sizes":
        return
    for step in path(broken):
        if isinstance(step.node, ast.Call) and called(step.node) == "one_hot":
            yield _text.suffixed(step.source, step.node, ".movedim(-1, 1)")


MEND = Mend(frozenset({"broadcast-sizes", "loss-sizes", "cat-sizes"}), propose)

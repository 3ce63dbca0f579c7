"""A normalisation of vectors that gets a sequence of them, inside of a model: the first of it, or the mean, is given.

self.projector(tokens)  # of f32[16, 7, 48]; meant is `tokens[:, 0]`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken

_RANK = 3
_WAYS = ("[:, 0]", ".mean(dim=1)", "[:, -1]", ".flatten(0, 1)")


def propose(broken: Broken) -> Iterator[Edit]:
    """Where the model that has it is given one thing, the innermost first."""
    shape = broken.call.shape(0, "input")
    if broken.call.target != "BatchNorm1d" or shape is None or len(shape) != _RANK:
        return
    for source, node in broken.places:
        if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
            yield from (_text.suffixed(source, node.args[0], way) for way in _WAYS)


MEND = Mend(frozenset({"norm-features"}), propose)

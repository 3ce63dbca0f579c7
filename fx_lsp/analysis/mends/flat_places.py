"""Features that are wanted last, of maps of which the places were flattened there: turned where that is done.

return maps.flatten(2)  # of f32[4, 128, 7, 7]; meant is a row of 128 features for each of 49 places
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken, is_torch
from fx_lsp.analysis.mends._parameters import arguments, called
from fx_lsp.analysis.mends._path import Step, path
from fx_lsp.analysis.mends._places import number

_TURNS = ("transpose", "permute", "swapaxes", "movedim")


def propose(broken: Broken) -> Iterator[Edit]:
    """The nearest one that is not turned yet."""
    turned: set[int] = set()
    for step in path(broken):
        if isinstance(step.node, ast.Call) and isinstance(step.node.func, ast.Attribute):
            if called(step.node) in _TURNS:
                turned.add(id(step.node.func.value))
            elif _flat(step) and id(step.node) not in turned:
                yield _text.suffixed(step.source, step.node, ".transpose(1, 2)")


def _flat(step: Step) -> bool:
    """`x.flatten(2)`, `x.view(b, c, -1)`."""
    node = step.node
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or is_torch(node.func.value):
        return False
    dims = [number(one) for one in arguments(node)]
    if called(node) == "flatten":
        return dims in ([2], [-2])
    return called(node) in ("view", "reshape") and len(dims) == 3 and dims[-1] == -1 and None in dims[:2]


MEND = Mend(frozenset({"linear-features", "recurrent-features"}), propose)

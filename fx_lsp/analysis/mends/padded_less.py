"""Sizes that do not fit, where one operand was padded in its last dims: as much in the dim before them too.

bias = F.pad(bias, (1, 0))  # of f32[1, 4, 49, 49]; scores of f32[8, 4, 50, 50] want `(1, 0, 1, 0)`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path_of
from fx_lsp.analysis.mends._places import number


def propose(broken: Broken) -> Iterator[Edit]:
    """Where the difference is what the last pair of numbers adds."""
    shapes = {key: one.shape for key, one in enumerate(broken.call.operands) if one.shape is not None}
    for key, shape in shapes.items():
        node = broken.place(key)
        for other in (one for name, one in shapes.items() if name != key):
            back = [-dim for dim in range(1, min(len(shape), len(other)) + 1)]
            differ = [dim for dim in back if 1 != shape[dim] != other[dim] != 1]
            if len(differ) == 1 and node is not None:
                yield from _padded(broken, node, -differ[0], other[differ[0]] - shape[differ[0]])


def _padded(broken: Broken, node: ast.expr, dim: int, more: int) -> Iterator[Edit]:
    for step in path_of(broken, node):
        call = step.node
        pads = call.args[1] if isinstance(call, ast.Call) and called(call) == "pad" and len(call.args) > 1 else None
        if not isinstance(pads, ast.Tuple | ast.List) or len(pads.elts) != 2 * (dim - 1):
            continue
        pair = pads.elts[-2:]
        known = [size for one in pair if (size := number(one)) is not None]
        if len(known) == len(pair) and sum(known) == more:
            text = ", ".join(_text.written(step.source, one) for one in (*pads.elts, *pair))
            text = f"({text})" if isinstance(pads, ast.Tuple) else f"[{text}]"
            yield Edit(f"Pad by {_text.title(text)}", step.source.path, _text.instead(step.source, pads, text))


MEND = Mend(frozenset({"broadcast-sizes"}), propose)

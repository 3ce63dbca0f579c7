"""Features that are wanted last, where a sum or the like on the way was taken over them: over the dim before, or both.

pooled = x.view(-1, n, x.size(1)).mean(dim=2)  # meant is dim 1
self.out(pooled)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.mends.reduced import dims_written


def propose(broken: Broken) -> Iterator[Edit]:
    """Of the nearest one, where it was the last dim that it took."""
    shape, given = broken.call.shape(0, "input"), broken.place(0, "input")
    _, bound = broken.origin(given)
    for step in path(broken) if shape else ():
        written = dims_written(step.node) if isinstance(step.node, ast.Call) else None
        dim = number(written) if written is not None else None
        if written is None or not isinstance(step.node, ast.Call):
            continue
        kept = any(one.arg == "keepdim" for one in step.node.keywords)
        last = len(shape or ()) if step.node in (given, bound) and not kept else -1
        if dim is not None and dim in (-1, last):
            for text in (str(dim - 1), f"({dim - 1}, {dim})"):
                title = f"Reduce dim {text} in place of {dim}"
                yield Edit(title, step.source.path, _text.instead(step.source, written, text))
        return


MEND = Mend(frozenset({"linear-features"}), propose)

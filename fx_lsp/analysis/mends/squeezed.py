"""A dim of 1 that is left, since the one that a `squeeze` on the way takes away is none: the dim of 1 in its place.

return x.squeeze(1)  # of f32[16, 16, 1, 8], which stays as it is; meant is dim 2
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.mends._places import number
from fx_lsp.model.value import TensorType


def propose(broken: Broken) -> Iterator[Edit]:
    """The dim in which it is now, then the others: it may have been moved since."""
    given = [one.value for one in broken.call.operands if isinstance(one.value, TensorType)]
    shape = next((one.shape for one in given if 1 in one.shape[1:]), None)
    for step in path(broken) if shape is not None else ():
        if not isinstance(step.node, ast.Call) or called(step.node) != "squeeze" or shape is None:
            continue
        written = next((one for one in (*step.node.args, *(one.value for one in step.node.keywords))
                        if number(one) is not None), None)  # fmt: skip
        if written is None:
            continue
        ones = [dim for dim, size in enumerate(shape) if size == 1 and dim]
        others = [dim for dim in range(1, len(shape)) if dim not in ones]
        for dim in (*ones, *others):
            if dim != number(written) and dim - len(shape) != number(written):
                title = f"Squeeze dim {dim} in place of {number(written)}"
                yield Edit(title, step.source.path, _text.instead(step.source, written, str(dim)))


_CAUSES = ("linear-features", "conv-channels", "conv-dims", "norm-features", "recurrent-features", "broadcast-sizes",
           "matmul-sizes", "cat-sizes", "loss-sizes", "view-elements", "unpack-dims")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose)

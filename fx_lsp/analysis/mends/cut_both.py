"""A product of what does not fit, where one side is cut in one dim: as much of the next dim, as of a square matrix.

dirs @ pose[:, :3].transpose(1, 2)  # of f32[2, 4, 4]; meant is `pose[:, :3, :3]`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.matmul_sizes import PLACES
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.source import walk


def propose(broken: Broken) -> Iterator[Edit]:
    """Where the other side has as many."""
    first, second = PLACES.get(broken.call.target, (0, 1))
    for own, other, dim in ((first, second, -2), (second, first, -1)):
        node, shape = broken.place(own), broken.call.shape(other)
        wanted = shape[dim] if shape and len(shape) > 1 else None
        for one in walk(node) if node is not None else ():
            part = one.slice if isinstance(one, ast.Subscript) else None
            last = part.elts[-1] if isinstance(part, ast.Tuple) and part.elts else part
            if not isinstance(one, ast.Subscript) or part is None or not isinstance(last, ast.Slice):
                continue
            if last.lower is last.step is None and number(last.upper) == wanted is not None:
                cut = ast.unparse(part).strip("()")
                yield from broken.instead(one, (f"{broken.text(one.value)}[{cut}, {ast.unparse(last)}]",))


MEND = Mend(frozenset({"matmul-sizes"}), propose)

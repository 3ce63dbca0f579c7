"""Sizes that do not fit, where the size of another dim is asked for than is meant.

t = x.size(1)  # meant is `x.size(2)`
x * self.cos[:t]
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._asked import asked, dim_of
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.source import Source

MAX_FOUND = 4
_NEXT = (1, -1)


def propose(broken: Broken) -> Iterator[Edit]:
    """Those that what fails was made with, the nearest first: the dim after, then the one before; then in functions
    that led there, and in what these call."""
    yield from islice(_others(asked(broken)), MAX_FOUND)


def _others(found: list[tuple[Source, ast.expr]]) -> Iterator[Edit]:
    for source, node in found:
        dim = dim_of(node)
        old = number(dim) if dim is not None else None
        for more in _NEXT if dim is not None and old is not None else ():
            # From the end to the end, from the start to the start.
            if dim is not None and old is not None and (old + more >= 0) == (old >= 0):
                shown = _text.title(_text.written(source, node))
                title = f"Use dim {old + more} in place of {old} in {shown}, line {node.lineno}"
                yield Edit(title, source.path, _text.instead(source, dim, str(old + more)))


_CAUSES = ("broadcast-sizes", "cat-sizes", "view-elements", "expand-sizes", "attention-sizes", "loss-sizes",
           "matmul-sizes", "index-range", "assigned-sizes", "linear-features", "recurrent-state",
           "recurrent-features", "conv-channels", "conv-kernel", "norm-features", "einsum-sizes",
           "index-mask")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, guess=True)

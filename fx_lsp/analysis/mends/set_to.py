"""A part of a tensor set to other sizes: what it is set to turned, or with a dim of 1 more or less.

self.queue[:, start:end] = keys  # meant is `keys.t()`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.assigned_sizes import fits, taken
from fx_lsp.analysis.causes.index_range import parts
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._shapes import grown, moved, shrunk
from fx_lsp.analysis.mends._statements import around


def propose(broken: Broken) -> Iterator[Edit]:
    """Each change of it with which it fits."""
    shape, value, index = broken.call.shape(0), broken.call.shape(2), broken.call.operand(1)
    part = taken(shape, parts(index.value) or []) if shape is not None and index is not None else None
    statement = around(broken.source, broken.node) if isinstance(broken.node, ast.expr) else None
    if part is None or value is None or not isinstance(statement, ast.Assign):
        return
    ways = [*moved(value), *shrunk(value), *grown(value)]
    yield from broken.after(statement.value, (suffix for suffix, new in ways if fits(new, part)))


MEND = Mend(frozenset({"assigned-sizes"}), propose)

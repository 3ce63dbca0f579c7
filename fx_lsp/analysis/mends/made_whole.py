"""Floats as ids or places: whole numbers where they are made or joined, as they may be used elsewhere, too.

batch.append(torch.ones(len(atoms)) * number)  # is an index further below
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path_of

MAX_MADE = 8
MAKING = ("cat", "stack", "zeros", "ones", "full", "tensor", "as_tensor", "from_numpy", "arange", "pad", "linspace")
"""Functions that make a tensor of numbers, or join some."""


def propose(broken: Broken) -> Iterator[Edit]:
    """For each operand of floats that is no first one: that is looked up in."""
    given = [(place, one) for place, one in enumerate(broken.call.operands)][broken.cause != "embedding-ids" :]
    for place, one in given:
        node = broken.place(place) if one.dtype.startswith(("f", "bf")) else None
        yield from made_as(broken, node, ".long()") if node is not None else ()


def made_as(broken: Broken, node: ast.expr, suffix: str) -> Iterator[Edit]:
    """The suffix after what made or joined it, the nearest first."""
    steps = (one for one in path_of(broken, node) if isinstance(one.node, ast.Call) and called(one.node) in MAKING)
    yield from (_text.suffixed(step.source, step.node, suffix) for step in islice(steps, MAX_MADE))


MEND = Mend(frozenset({"index-tensor", "index-dtype", "embedding-ids"}), propose)

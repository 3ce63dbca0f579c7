"""Sizes that do not fit, by what an operand was made of: a step on the way to it done in another way.

q, k, v = self.qkv(x).chunk(3, dim=1)  # fails where q is used; meant is the last dim
h = self.time(h)                       # whose last line returns `x.permute(0, 3, 2, 1)`; meant is another order
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._otherwise import otherwise
from fx_lsp.analysis.mends._path import Step, path

MAX_FIRST = 2
"""Ways to write one step, before those of others."""
MAX_SHORT = 8
"""Characters that tell little by themselves."""


def propose(broken: Broken) -> Iterator[Edit]:
    """The nearest step first, few ways for each; then the other ways."""
    ways = [list(_ways(step)) for step in path(broken)]
    for found in ways:
        yield from found[:MAX_FIRST]
    for turn in zip_longest(*(found[MAX_FIRST:] for found in ways)):
        yield from (edit for edit in turn if edit is not None)


def _ways(step: Step) -> Iterator[Edit]:
    for node, text in otherwise(step.source, step.node):
        old, new = _text.title(_text.written(step.source, node)), _text.title(text)
        title = f"Use {new} in place of {old}" if len(text) < MAX_SHORT else f"Use {new}"
        yield Edit(title, step.source.path, _text.instead(step.source, node, text))


_CAUSES = ("attention-sizes", "axes-pattern", "broadcast-sizes", "cat-sizes", "conv-channels", "conv-dims",
           "dim-range", "einsum-sizes", "expand-sizes", "index-range", "index-tensor", "linear-features", "loss-sizes",
           "matmul-sizes", "norm-features", "recurrent-features", "recurrent-state", "split-sizes", "unpack-dims",
           "view-elements")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, guess=True)

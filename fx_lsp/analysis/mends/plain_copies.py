"""Sizes that do not fit, where a variable is another one as it is, though it has a name of its own: what is missing.

flat = x  # meant is `x.flatten(0, 1)`
"""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import is_copy
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._path import path

_BATCHED = (".flatten(0, 1)", ".flatten(1)", ".flatten(0, 2)")
_TURNED = (".transpose(1, 2)", ".transpose(-2, -1)")
_SINGLE = (".unsqueeze(1)", ".squeeze(1)", ".unsqueeze(-1)", ".squeeze(-1)", ".mean(1)")


def propose(broken: Broken) -> Iterator[Edit]:
    """On the way to the operands, the nearest first: turned, flattened, with a dim more or less."""
    ranks = broken.cause in ("unpack-dims", "conv-dims", "index-range", "loss-sizes", "index-mask")
    ways = (*_BATCHED, *_SINGLE, *_TURNED) if ranks else (*_TURNED, *_BATCHED, *_SINGLE)
    for step in path(broken):
        if is_copy(step.source, step.node):
            yield from (_text.suffixed(step.source, step.node, way) for way in ways)


_CAUSES = ("attention-sizes", "broadcast-sizes", "cat-sizes", "conv-channels", "conv-dims", "einsum-sizes",
           "index-mask", "index-range", "linear-features", "loss-sizes", "matmul-sizes", "norm-features",
           "recurrent-features", "unpack-dims", "view-elements")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose)

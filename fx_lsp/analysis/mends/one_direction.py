"""Half the features that a layer takes, where they come from a recurrent one that goes in one direction: in both.

self.rnn = nn.LSTM(8, 16)  # meant is `bidirectional=True`
self.head = nn.Linear(2 * 16, 4)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._bound import assigned, layer_called
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._made import Made
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.mends.directions import both_ways

MAX_LAYERS = 2
_RECURRENT = frozenset({"RNN", "LSTM", "GRU"})
_TAKES = ("in_features", "input_size", "embed_dim", "normalized_shape")
"""Settings that are the size of the last dim."""


def propose(broken: Broken) -> Iterator[Edit]:
    """The nearest first."""
    shape, settings = broken.call.shape(0, "input", "query"), broken.call.settings
    if not settings and any(0 in (one.shape or ()) for one in broken.call.operands):
        # The features of the other direction were taken, and there are none.
        yield from islice(_both(broken), MAX_LAYERS)
        return
    takes = [size for size in (settings.get(name) for name in _TAKES) if size is not None]
    if shape and takes and takes[0] in (2 * shape[-1], (2 * shape[-1],)):
        yield from islice(_both(broken), MAX_LAYERS)


def _both(broken: Broken) -> Iterator[Edit]:
    seen = set[int]()
    for step in path(broken):
        layer = layer_called(step.source, step.node.func) if isinstance(step.node, ast.Call) else None
        for call in assigned(step.source, step.node, layer) if layer is not None else ():
            if isinstance(call, ast.Call) and called(call) in _RECURRENT and id(call) not in seen:
                seen.add(id(call))
                made = Made(step.source, call, (), {})
                yield from both_ways(made)


_CAUSES = ("linear-features", "norm-features", "recurrent-features", "attention-sizes", "broadcast-sizes")
MEND = Mend(frozenset(_CAUSES), propose)

"""A state or result of a recurrent layer viewed as that of both directions, where the layer has one.

self.rnn = nn.LSTM(8, 16)  # meant is `bidirectional=True`
state.view(layers, 2, batch, 16)
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken

_RECURRENT = ("RNN", "LSTM", "GRU")


def propose(broken: Broken) -> Iterator[Edit]:
    """Where twice as many numbers are wanted."""
    shape, sizes = broken.call.shape(0, "input"), broken.call.numbers("shape", "size") or []
    node = broken.place(0, "input")
    if node is None or not shape or -1 in sizes or math.prod(sizes) != 2 * math.prod(shape):
        return
    for origin in broken.origins(node):
        made = broken.making(origin)
        if origin.target in _RECURRENT and made.argument("bidirectional") is None:
            yield from made.added("bidirectional=True")


MEND = Mend(frozenset({"view-elements"}), propose)

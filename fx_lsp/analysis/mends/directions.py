"""A state or result of a recurrent layer viewed as that of both directions, where the layer has one.

self.rnn = nn.LSTM(8, 16)  # meant is `bidirectional=True`
state.view(layers, 2, batch, 16)
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._made import Made

_RECURRENT = ("RNN", "LSTM", "GRU")


def propose(broken: Broken) -> Iterator[Edit]:
    """Where twice as many numbers are wanted."""
    shape, sizes = broken.call.shape(0, "input"), broken.call.numbers("shape", "size") or []
    node = broken.place(0, "input")
    if node is None or not shape or -1 in sizes or math.prod(sizes) != 2 * math.prod(shape):
        return
    for origin in broken.origins(node):
        made = broken.making(origin)
        if origin.target in _RECURRENT:
            yield from both_ways(made)


def both_ways(made: Made) -> Iterator[Edit]:
    """A recurrent layer of one direction in both; then each of them half as wide."""
    if made.argument("bidirectional") is not None:
        return
    yield from made.added("bidirectional=True")
    size, changes = made.argument("hidden_size"), _text.added(made.source, made.node, "bidirectional=True")
    if isinstance(size, ast.Name | ast.Attribute | ast.Constant) and changes is not None:
        text = f"{_text.written(made.source, size)} // 2"
        name = _text.title(_text.written(made.source, made.node.func))
        title = f"Make {name} with {_text.title(text)} in both directions"
        yield Edit(title, made.source.path, ((made.source.span(size), text), *changes))


MEND = Mend(frozenset({"view-elements"}), propose)

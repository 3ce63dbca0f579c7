"""Sizes of a layer in each other's place, where it is made or where its sizes are passed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes._spatial import channel_dim, dims_of
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._origin import PARAMETER
from fx_lsp.analysis.mends._pairs import pairs
from fx_lsp.analysis.mends._shapes import broadcast

_LAST = ("in_features", "input_size")
_CHANNELS = ("in_channels", "num_features")


def propose(broken: Broken) -> Iterator[Edit]:
    """For the size that the layer takes of its input; of a parameter for what it meets."""
    if broken.cause in _MEETING:
        yield from _parameters(broken)
        return
    shape, settings = broken.call.shape(0, "input"), broken.call.settings
    name = next((one for one in (*_LAST, *_CHANNELS) if one in settings), None)
    if not shape or name is None:
        return
    channel = channel_dim(broken.call.operand(0, "input"), dims_of(broken.call.target))
    dim = -1 if name in _LAST else 1 if channel is None else channel
    if -len(shape) <= dim < len(shape):
        for made in broken.made:
            yield from made.swapped(name, shape[dim])


def _parameters(broken: Broken) -> Iterator[Edit]:
    """Two sizes that a parameter, or a tensor of zeros, is made with, where it would then be broadcast."""
    for (node, shape), (_, other), differ in pairs(broken):
        for origin in broken.origins(node) if node is not None and differ else ():
            written = origin.node.args
            if origin.target != PARAMETER or origin.turned or len(written) != len(shape):
                continue
            for one, two in combinations(range(len(shape)), 2):
                new = [*shape]
                new[one], new[two] = new[two], new[one]
                if shape[one] != shape[two] and broadcast(tuple(new), other) is not None:
                    texts = [_text.written(origin.source, written[dim]) for dim in (one, two)]
                    changes = [*_text.instead(origin.source, written[one], texts[1]),
                               *_text.instead(origin.source, written[two], texts[0])]  # fmt: skip
                    yield Edit(f"Swap `{texts[0]}` and `{texts[1]}`", origin.source.path, tuple(changes))


_MEETING = frozenset({"broadcast-sizes"})
MEND = Mend(frozenset({"linear-features", "conv-channels", "recurrent-features"}) | _MEETING, propose)

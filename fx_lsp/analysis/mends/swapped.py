"""Sizes of a layer in each other's place, where it is made or where its sizes are passed."""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes._spatial import channel_dim, dims_of
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken

_LAST = ("in_features", "input_size")
_CHANNELS = ("in_channels", "num_features")


def propose(broken: Broken) -> Iterator[Edit]:
    """For the size that the layer takes of its input."""
    shape, settings = broken.call.shape(0, "input"), broken.call.settings
    name = next((one for one in (*_LAST, *_CHANNELS) if one in settings), None)
    if not shape or name is None:
        return
    channel = channel_dim(broken.call.operand(0, "input"), dims_of(broken.call.target))
    dim = -1 if name in _LAST else 1 if channel is None else channel
    if -len(shape) <= dim < len(shape):
        for made in broken.made:
            yield from made.swapped(name, shape[dim])


MEND = Mend(frozenset({"linear-features", "conv-channels", "recurrent-features"}), propose)

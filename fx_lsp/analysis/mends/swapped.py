"""Sizes of a layer in each other's place, where it is made or where its sizes are passed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes._spatial import channel_dim, dims_of
from fx_lsp.analysis.causes.recurrent_features import unpacked
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._origin import PARAMETER
from fx_lsp.analysis.mends._pairs import pairs
from fx_lsp.analysis.mends._shapes import Shape, broadcast, swapped

_LAST = ("in_features", "input_size")
_CHANNELS = ("in_channels", "num_features")


def propose(broken: Broken) -> Iterator[Edit]:
    """For the size that the layer takes of its input; of a parameter for what it meets."""
    if broken.cause in _MEETING:
        yield from _parameters(broken)
        return
    given, settings = unpacked(broken.call.operand(0, "input")), broken.call.settings
    shape = given.shape if given is not None else None
    name = next((one for one in (*_LAST, *_CHANNELS) if one in settings), None)
    if not shape or name is None:
        return
    channel = channel_dim(broken.call.operand(0, "input"), dims_of(broken.call.target))
    dim = -1 if name in _LAST else 1 if channel is None else channel
    if -len(shape) <= dim < len(shape):
        for made in broken.made:
            yield from made.swapped(name, shape[dim])


def _parameters(broken: Broken) -> Iterator[Edit]:
    """Two sizes that a parameter, or a tensor of zeros, is made with, where it would then fit."""
    for node, shape, other, dims in _met(broken):
        for origin in broken.origins(node):
            written = origin.node.args
            # A matrix that is turned has its two sizes in each other's place both before and after.
            if origin.target != PARAMETER or (origin.turned and len(shape) != 2) or len(written) != len(shape):
                continue
            for one, two in combinations(range(len(shape)), 2):
                if shape[one] != shape[two] and _fits(broken.cause, swapped(shape, one, two), other, dims):
                    texts = [_text.written(origin.source, written[dim]) for dim in (one, two)]
                    changes = [*_text.instead(origin.source, written[one], texts[1]),
                               *_text.instead(origin.source, written[two], texts[0])]  # fmt: skip
                    yield Edit(f"Swap `{texts[0]}` and `{texts[1]}`", origin.source.path, tuple(changes))


def _met(broken: Broken) -> Iterator[tuple[ast.expr, Shape, Shape, list[tuple[int, int]]]]:
    """What does not fit, with the sizes of what it meets, and the dims of both that ought to go together."""
    if broken.cause == "index-tensor":
        x, index, along = broken.call.shape(0, "input"), broken.call.shape(2, "index"), broken.call.plain(1, "dim")
        node = broken.place(0, "input")
        if node is not None and x and index and len(x) == len(index) and isinstance(along, int):
            yield node, x, index, [(dim, dim) for dim in range(len(x)) if dim != along % len(x)]
        return
    for (node, shape), (_, other), differ in pairs(broken):
        if node is not None and differ:
            yield node, shape, other, differ


def _fits(cause: str, shape: Shape, other: Shape, dims: list[tuple[int, int]]) -> bool:
    if cause == "broadcast-sizes":
        return broadcast(shape, other) is not None
    if cause == "index-tensor":
        return all(shape[dim] >= other[there] for dim, there in dims)
    return all(shape[dim] == other[there] for dim, there in dims)


_MEETING = frozenset({"broadcast-sizes", "index-tensor", "matmul-sizes", "einsum-sizes"})
MEND = Mend(frozenset({"linear-features", "conv-channels", "recurrent-features"}) | _MEETING, propose)

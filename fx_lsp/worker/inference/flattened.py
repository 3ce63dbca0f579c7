"""Inputs as large as what is flattened has to be, where the number of features is written down."""

from __future__ import annotations

import math
import re
from typing import Iterator, Tuple

from fx_lsp.worker.inference.changes import LARGE, Tensors, at, everywhere, larger
from fx_lsp.worker.inference.inputs import Inputs

MAX_SIDES = 12
"""Sizes of a picture that are tried between two."""
SIDES = (28, 32, 48, 64, 80, 84, 96, 100, 112, 128, 160, 192, 224, 227, 256, 299, 384, 512)
"""Of pictures, as networks with layers of a fixed number of features take them."""


def of_view(message: str, inputs: Inputs, tensors: Tensors) -> Iterator[Inputs]:
    """As many features as a shape that was asked for has room for."""
    if match := re.search(r"shape '\[([-\d, ]+)\]' is invalid for input of size (\d+)", message):
        asked, count = [int(size) for size in match[1].split(",")], int(match[2])
        known = math.prod(size for size in asked if size > 0)
        for side in LARGE if 0 in asked else ():  # too small for what it is cut into
            yield everywhere(inputs, tensors, lambda t, side=side: larger(t, side))
        for name, tensor in tensors.items() if len(asked) == 2 and 0 not in asked else ():  # flattened by a number
            batch = asked[0] if asked[0] > 0 else tensor.shape[0] if tensor.shape else 0
            if asked[1] > 0 and batch and count % batch == 0:
                yield from of_features(inputs, {name: tensor}, count // batch, asked[1])
        free = max((place for place, size in enumerate(asked) if size < 0), default=-1)
        after = math.prod(asked[free + 1 :])
        for name, tensor in tensors.items():
            if tensor.shape and free >= 0:
                yield {**inputs, name: at(tensor, -1, after)}
            elif tensor.shape and count:
                places = (-1, *range(1, len(tensor.shape) - 1))
                fitting = [place for place in places if known * tensor.shape[place] % count == 0]
                yield from (
                    {**inputs, name: at(tensor, place, known * tensor.shape[place] // count)} for place in fitting
                )


def of_features(inputs: Inputs, tensors: Tensors, got: int, needed: int) -> Iterator[Inputs]:
    """Pictures of other usual sizes, where what was flattened had too many features or too few: the likely ones first;
    and as much larger or smaller volumes, as much longer or shorter sequences."""
    for name, tensor in tensors.items() if got > 0 and needed > 0 else ():
        for sizes in _spaces(tensor.shape, needed / got):
            yield {**inputs, name: tensor.resized((*tensor.shape[: -len(sizes)], *sizes))}


def _spaces(shape: Tuple[int, ...], times: float) -> Iterator[Tuple[int, ...]]:
    """Sizes of the last dims with so many times as many places, or nearly."""
    side = shape[-1] if shape else 0
    if len(shape) == 3:
        yield (round(side * times),)
    square = len(shape) > 3 and shape[-2] == side > 0
    if square:
        usual = sorted(SIDES, key=lambda one: abs(math.log(one / side) - math.log(times) / 2))
        yield from ((one, one) for one in (*usual[:4], side // 2))
    if len(shape) == 5:
        yield from ((one, one, one) for one in _on_the_way((math.prod(shape[2:]) * times) ** (1 / 3), side))
    if square:
        yield from ((one, one) for one in _on_the_way(side * math.sqrt(times), side))


def _on_the_way(likely: float, side: int) -> Iterator[int]:
    """From the size that would do in proportion to the one that there was: a kernel takes as much off each."""
    step = max(abs(likely - side) / MAX_SIDES, 1.0)
    for number in range(MAX_SIDES):
        yield max(round(likely + math.copysign(number * step, side - likely)), 1)

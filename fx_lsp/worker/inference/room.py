"""Pictures and signals that are large enough, where a kernel, a pool or a part that is cut out needs more room."""

from __future__ import annotations

import math
import re
from typing import Iterator

from fx_lsp.worker.inference.changes import LARGE, Tensors, at, everywhere, larger
from fx_lsp.worker.inference.inputs import Inputs, Tensor

_SHORT = re.compile(
    r"padding \((\d+), \d+\) at dimension \d of input (?:torch\.Size\()?\[(?:\d+, )*(\d+)\]"
    r"|size per channel: \((?P<size>\d+)[\dx ]*\)\. Kernel size: \((?P<kernel>\d+)"
)
"""Of what a kernel or a reflection needs, and of what there is."""
_LESS = re.compile(r"\blength\D{0,20}(\d+)\D{0,9} (?:less|shorter|smaller) than\D{0,40}(\d+)")
_SMALL = re.compile(
    r"too small|greater than actual|Kernel size|kernel size|non-positive|larger than|smaller than|out of bounds"
    r"|k not in range|k out of range|at least one tensor|non-empty list|float infinity|should be greater than 0"
    r"|more than 1 spatial|other non-zero dimensions"
)
_NO_PLACE = re.compile(r"empty range|high <= 0|low >= high|expects 'from' to be less than 'to'")
"""Of messages: there is no place where a part could begin."""
LONGEST = 1 << 20
"""Places of a signal."""
MAX_CHANNELS = 2
"""Of a signal."""
LONG = (8_192, 65_536)


def roomier(message: str, inputs: Inputs, tensors: Tensors) -> Iterator[Inputs]:
    """With longer signals, then with larger pictures and volumes."""
    yield from _of_length(message, inputs, tensors)
    no_place = _NO_PLACE.search(message) is not None
    for length in LONG if no_place else ():
        yield everywhere(inputs, tensors, lambda t, length=length: _longer(t, length))
    for side in LARGE if no_place or _SMALL.search(message) else ():
        yield everywhere(inputs, tensors, lambda t, side=side: larger(at(t, 2, 32) if len(t.shape) == 5 else t, side))
        yield everywhere(inputs, tensors, lambda t, side=side: larger(t, side))


def _of_length(message: str, inputs: Inputs, tensors: Tensors) -> Iterator[Inputs]:
    """Signals so much longer that a kernel fits, also behind layers that shorten them, or that they are as long in the
    end as they have to be."""
    if match := _LESS.search(message):
        times = math.ceil(int(match[2]) / max(int(match[1]), 1))
        for name, tensor in tensors.items():
            if 1 < len(tensor.shape) < 4 and tensor.shape[-1] * times <= LONGEST:
                yield {**inputs, name: tensor.resized((*tensor.shape[:-1], tensor.shape[-1] * times))}
    if match := _SHORT.search(message):
        needed, there = match["kernel"] or match[1], match["size"] or match[2]
        times = 2 * math.ceil((int(needed) + 1) / max(int(there), 1))
        for factor in (times, 8 * times, 64 * times):
            signals = (name for name, tensor in tensors.items() if 1 < len(tensor.shape) < 4)
            yield from ({**inputs, name: at(tensors[name], -1, tensors[name].shape[-1] * factor)} for name in signals)


def _longer(tensor: Tensor, length: int) -> Tensor:
    """A signal of that length, where it is shorter."""
    signal = len(tensor.shape) == 3 and tensor.shape[1] <= MAX_CHANNELS and tensor.shape[-1] < length
    return at(tensor, -1, length) if signal else tensor

"""Changes of inputs: one size for another, in one tensor or in all."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Callable, Dict, Iterable, Iterator, Sequence

from fx_lsp.worker.inference.inputs import Inputs, Tensor

Tensors = Dict[str, Tensor]
"""Those of the inputs that are tensors; the ones named where it failed go first."""
Change = Callable[[Tensor], Tensor]
MAX_SIZE = 65_536
LARGE = (224, 299, 128, 64)
MAX_REST = 4
"""Places by which two ways differ that do not go without a rest."""
REST = (4, 8, 12, 2, 6, 10)
"""So many places more may go without one."""


def swap(inputs: Inputs, tensors: Tensors, old: int, new: int) -> Iterator[Inputs]:
    """Every dim of the size `old` becomes `new`: in all inputs at once, then in one only."""
    if old == new or not 0 < new <= MAX_SIZE:
        return

    def swapped(tensor: Tensor) -> Tensor:
        return tensor.resized(tuple(new if size == old else size for size in tensor.shape))

    yield everywhere(inputs, tensors, swapped)
    yield from each(inputs, tensors, swapped)


def scaled(inputs: Inputs, tensors: Tensors, got: int, needed: int) -> Iterator[Inputs]:
    """Sizes that change in the same proportion: of channels that are folded into features."""
    for name, tensor in tensors.items() if got and needed else ():
        for place, size in enumerate(tensor.shape):
            if place and size * needed % got == 0 and 0 < size * needed // got <= 4096:
                yield {**inputs, name: at(tensor, place, size * needed // got)}


def scaled_everywhere(inputs: Inputs, tensors: Tensors, got: int, needed: int) -> Iterator[Inputs]:
    """The second size of all of them in the same proportion: of maps that are joined."""
    if 0 < got < needed and needed % got == 0:
        yield everywhere(inputs, tensors, lambda t: at(t, 1, t.shape[1] * needed // got) if len(t.shape) > 2 else t)


def of_area(inputs: Inputs, tensors: Tensors, one: int, other: int) -> Iterator[Inputs]:
    """Pictures so much larger that there are as many places in them as were expected."""
    few, many = sorted((one, other))
    times = math.isqrt(many // few) if few > 0 and many % few == 0 else 0
    for name, tensor in tensors.items():
        side = tensor.shape[-1] * times if len(tensor.shape) == 4 else 0
        if times > 1 and times * times * few == many and 0 < side <= 1024:
            yield {**inputs, name: tensor.resized((*tensor.shape[:2], tensor.shape[2] * times, side))}


def multiplied(inputs: Inputs, tensors: Tensors, shapes: Iterable[Sequence[int]]) -> Iterator[Inputs]:
    """So many times as large where a part was taken that is not there: nothing is left of a shape that was met."""
    for place, rank in ((shape.index(0), len(shape)) for shape in map(tuple, shapes) if 0 in shape):
        for factor in (2, 4) if place else ():
            for name, tensor in tensors.items():
                if len(tensor.shape) == rank:
                    yield {**inputs, name: at(tensor, place, tensor.shape[place] * factor)}


def uneven(inputs: Inputs, tensors: Tensors, shapes: Sequence[Sequence[int]]) -> Iterator[Inputs]:
    """A few places more, where what came two ways differs by a few: not all sizes are halved and cut without a rest."""
    pairs = [(a, b) for one, other in zip(shapes, shapes[1:]) for a, b in zip(one[2:], other[2:])]
    for more in REST if any(0 < abs(a - b) <= MAX_REST for a, b in pairs) else ():
        yield everywhere(inputs, tensors, lambda t, more=more: larger(t, t.shape[-1] + more) if len(t.shape) > 2 else t)


def alike(inputs: Inputs, tensors: Tensors) -> Iterator[Inputs]:
    """One tensor in the shape of another, of higher rank first."""
    for tensor in sorted(tensors.values(), key=lambda tensor: -len(tensor.shape)):
        for other, changed in tensors.items():
            if changed.shape != tensor.shape:
                yield {**inputs, other: changed.resized(tensor.shape)}


def each(inputs: Inputs, tensors: Tensors, change: Change) -> Iterator[Inputs]:
    """The change in one tensor only, of each."""
    for name, tensor in tensors.items():
        yield {**inputs, name: change(tensor)}


def everywhere(inputs: Inputs, tensors: Tensors, change: Change) -> Inputs:
    """The change in all of them."""
    return {**inputs, **{name: change(tensor) for name, tensor in tensors.items()}}


def at(tensor: Tensor, place: int, size: int) -> Tensor:
    """With this size in that place; the same where there is no such place."""
    shape = list(tensor.shape)
    if not -len(shape) <= place < len(shape) or not 0 < size <= MAX_SIZE:
        return tensor
    shape[place] = size
    return tensor.resized(tuple(shape))


def larger(tensor: Tensor, side: int) -> Tensor:
    """Another height and width, or length."""
    shape = tensor.shape
    if len(shape) >= 4:
        return tensor.resized((*shape[:2], *(side if size == shape[-1] else size for size in shape[2:])))
    return tensor.resized((*shape[:-1], side)) if len(shape) == 3 else tensor


def cube(tensor: Tensor, side: int) -> Tensor:
    """A volume as deep as it is high and wide."""
    return tensor.resized((*tensor.shape[:2], side, side, side)) if len(tensor.shape) == 5 else tensor


def in_whole_numbers(tensor: Tensor) -> Tensor:
    """Integers, in as many dims."""
    return replace(tensor, dtype="i64")


def as_integers(tensor: Tensor) -> Tensor:
    """Ids, in rows."""
    shape = tensor.shape
    return Tensor("i64", (shape[0], shape[1] if shape[1] <= 256 else 16) if len(shape) > 2 else shape, tensor.wrap)

"""What a failure asks for: other inputs that are worth a try, best first."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Iterator, List, Sequence, Tuple

from fx_lsp.worker.inference.asserted import asserted, ordered
from fx_lsp.worker.inference.attempts import Attempt
from fx_lsp.worker.inference.changes import (
    MAX_SIZE,
    Tensors,
    alike,
    as_integers,
    at,
    cube,
    each,
    everywhere,
    in_whole_numbers,
    larger,
    multiplied,
    of_area,
    scaled,
    scaled_everywhere,
    swap,
    uneven,
)
from fx_lsp.worker.inference.flattened import of_features, of_view
from fx_lsp.worker.inference.inputs import BATCH, Inputs, Tensor, of_rank
from fx_lsp.worker.inference.mismatches import mismatches
from fx_lsp.worker.inference.ranks import of_other_rank
from fx_lsp.worker.inference.room import roomier
from fx_lsp.worker.inference.values import as_long, bounded, in_order

_INTEGERS = re.compile(
    r"expected.*(Long|[Ii]nt|index)|must be long|indices must be|IndexError.*integer|scalar types? (Long|Int)"
    r"|only integer|int64|tensors used as indices|not implemented for 'Float'|slice indices"
)
_FLOATS = re.compile(
    r"(expected|to be|be a|require).*([Ff]loat|floating)|not implemented for '(Long|Int|Bool)'|got Long|long int|dtype"
    r"|with a bool tensor is not supported"
)
_DOUBLES = re.compile(r"\b(double|float64|torch\.DoubleTensor|Double)\b")
_FACTOR = re.compile("mask|gate|scale")
"""Of names: what others are multiplied with."""
_CONVOLUTION = re.compile(r"conv(?:_transpose)?([123])d")


def edits(attempt: Attempt, inputs: Inputs, suspects: List[str]) -> Iterator[Inputs]:
    """Other inputs; `suspects` are the parameters named where it failed, and go first."""
    seen = {key(inputs)}
    tensors = {name: one for name in [*suspects, *inputs] if isinstance(one := inputs.get(name), Tensor)}
    for change in _changes(attempt, inputs, tensors):
        if key(change) not in seen:
            seen.add(key(change))
            yield change


def _changes(attempt: Attempt, inputs: Inputs, tensors: Tensors) -> Iterator[Inputs]:
    message, failing = attempt.message, attempt.watch.failing
    yield from asserted(attempt, inputs, tensors)
    yield from ordered(attempt, inputs, tensors)
    yield from bounded(attempt, inputs, tensors)
    yield from in_order(attempt, inputs, tensors)
    yield from as_long(attempt, inputs)
    if _INTEGERS.search(message):
        yield from _of_integers(inputs, tensors)
    if _FLOATS.search(message):
        yield from each(inputs, tensors, lambda t: replace(t, dtype="f32"))
    if _DOUBLES.search(message):
        yield everywhere(inputs, tensors, lambda t: replace(t, dtype="f64") if t.dtype == "f32" else t)
    if "batch" in message:
        for size in attempt.numbers_read():
            yield everywhere(inputs, tensors, lambda t, size=size: at(t, 0, size))
        yield everywhere(inputs, tensors, lambda t: at(t, 0, 1))
    if re.search(r"non-complex|[Cc]omplex (tensor|input|dtype)|be complex|view_as_real", message):
        yield from each(inputs, tensors, lambda t: replace(t, dtype="c64"))
    for said, dtype in ((r"uint8|[Bb]yte", "u8"), (r"[Bb]ool|BOOL", "b8")):
        if re.search(said, message):
            yield from each(inputs, tensors, lambda t, dtype=dtype: replace(t, dtype=dtype))
    if re.search(r"divide axis|divisible|Expected size(?! for first two)|reduction pattern", message):
        for side in (64, 32):
            yield everywhere(inputs, tensors, lambda t, side=side: cube(t, side))
        for side in (64, 224, 256, 16, 8):
            yield everywhere(inputs, tensors, lambda t, side=side: larger(t, side))
    if failing is not None:
        if {shape[0] for shape in failing[1] if len(shape) > 2} == {BATCH, BATCH * BATCH}:  # each of a batch with each
            yield from each(inputs, tensors, lambda t: at(t, 0, 1))
        yield from multiplied(inputs, tensors, failing[1])
        yield from _of_operation(failing, inputs, tensors)
        if re.search(r"Attempting to broadcast|tensor a \(|doesn't match the broadcast shape", message):
            yield from _as_met(failing[1][:2], inputs, tensors)
            yield from _of_broadcast(failing[1], inputs, tensors)
            yield from uneven(inputs, tensors, failing[1][:2])
    yield from of_view(message, inputs, tensors)
    yield from roomier(message, inputs, tensors)
    if re.search(
        r"(same|equal|match|dimensions).*\[[\d, ]*\].*\[[\d, ]*\]|\[[\d, ]*\].*(same|equal|match).*\[[\d, ]*\]", message
    ):
        yield from alike(inputs, tensors)
    if "sparse_dim + dense_dim" in message:  # values of a matrix, one in each place
        for cut in (slice(1), slice(-1, None)):
            yield from each(inputs, tensors, lambda t, cut=cut: t.resized(t.shape[cut]) if t.dtype == "f32" else t)
    yield from of_other_rank(attempt, inputs, tensors)
    yield from _of_sizes(attempt, inputs, tensors)


def _of_integers(inputs: Inputs, tensors: Tensors) -> Iterator[Inputs]:
    yield from each(inputs, tensors, as_integers)
    yield from each(inputs, {name: one for name, one in tensors.items() if len(one.shape) > 3}, in_whole_numbers)


def _of_operation(
    failing: Tuple[str, List[Tuple[int, ...]], tuple], inputs: Inputs, tensors: Tensors
) -> Iterator[Inputs]:
    name, shapes, args = failing
    match = _CONVOLUTION.fullmatch(name)
    if match and len(shapes) > 1:
        rank, weight = int(match[1]) + 2, shapes[1]
        groups = next((a for a in args[6:7] if isinstance(a, int)), 1) if "transpose" not in name else 1
        channels = weight[1] * groups if "transpose" not in name else weight[0]
        if len(shapes[0]) != rank and (count := _joined(shapes[0], tensors)) and channels % count == 0:
            yield everywhere(inputs, tensors, lambda t: at(of_rank(t, rank, channels // count), 1, channels // count))
        yield from swap(inputs, tensors, shapes[0][1] if len(shapes[0]) > 1 else 0, channels)
        yield from each(inputs, tensors, lambda t: at(of_rank(t, rank, channels), 1, channels))
        yield from _both(shapes[0], rank, inputs, tensors, channels)
        if len(shapes[0]) == rank:
            yield from each(inputs, tensors, lambda t: _channels_last(t, shapes[0], channels))
            yield from scaled(inputs, tensors, shapes[0][1], channels)
            yield from _more(inputs, tensors, channels - shapes[0][1], 1)
    elif name in ("linear", "rnn", "lstm", "gru") and len(shapes) > 1:
        if name == "linear" and shapes[1][-1] in shapes[0][1:-1]:  # joined along what would be features of rows
            yield everywhere(inputs, tensors, lambda t: of_rank(t, 2) if len(t.shape) == 3 else t)
        if name == "linear" and len(shapes[0]) in (2, 3):
            flattened = {name: one for name, one in tensors.items() if len(shapes[0]) == 2 or len(one.shape) > 4}
            yield from of_features(inputs, flattened, shapes[0][-1], shapes[1][-1])
        yield from swap(inputs, tensors, shapes[0][-1] if shapes[0] else 0, shapes[1][-1])
        yield from each(inputs, tensors, lambda t: at(t, -1, shapes[1][-1]))
        yield from scaled(inputs, tensors, shapes[0][-1] if shapes[0] else 0, shapes[1][-1])
        yield from _more(inputs, tensors, shapes[1][-1] - (shapes[0][-1] if shapes[0] else 0))
        yield everywhere(inputs, tensors, lambda t: t.resized(t.shape[-1:]))
    elif "matmul" in name:  # of `a @ b.T`, which turns all dims
        yield everywhere(inputs, tensors, lambda t: of_rank(t, 2) if len(t.shape) > 2 else t)
        if len(shapes) > 1 and len(shapes[1]) > 1:
            yield from each(inputs, tensors, lambda t: at(t, -1, shapes[1][-2]))
    elif name in ("cat", "concat", "concatenate"):
        yield from uneven(inputs, tensors, shapes)
        for given, tensor in tensors.items():
            others = dict.fromkeys(map(tuple, shapes)) if tensor.shape in map(tuple, shapes) else {}
            yield from ({**inputs, given: tensor.resized(shape)} for shape in others if shape != tensor.shape)
    elif name.rstrip("_") in ("index_copy", "index_add") and len(shapes) == 3:  # written in places of the first
        whole, places, written = (tuple(shape) for shape in shapes)
        place = next((one for one in args[1:2] if isinstance(one, int) and -len(whole) <= one < len(whole)), None)
        if place is not None:
            before, after = whole[: place % len(whole)], whole[place % len(whole) + 1 :]
            fitting = (*before, *places[:1], *after)
            yield from each(inputs, tensors, lambda t: t.resized(fitting) if t.shape == written else t)
    elif name == "embedding":
        yield from _of_integers(inputs, tensors)
    elif name == "index_select" and len(shapes) > 1:  # by rows of whole numbers, perhaps a column of what was given
        more = len(shapes[1]) - 1
        yield from each(inputs, tensors, lambda t: in_whole_numbers(of_rank(t, max(len(t.shape) - more, 1))))
    elif name == "bincount":
        yield from each(inputs, tensors, lambda t: in_whole_numbers(of_rank(t, 1)))
    elif name in ("batch_norm", "instance_norm", "group_norm") and len(shapes) > 1:
        size = shapes[1][0] if shapes[1] else 0
        yield from swap(inputs, tensors, shapes[0][1] if len(shapes[0]) > 1 else 0, size)
        yield from each(inputs, tensors, lambda t: at(t, 1, size))
        yield from scaled_everywhere(inputs, tensors, shapes[0][1] if len(shapes[0]) > 1 else 0, size)
    elif name in ("layer_norm", "rms_norm") and len(args) > 1 and isinstance(args[1], (tuple, list)) and args[1]:
        size = args[1][-1]
        yield from scaled(inputs, tensors, shapes[0][-1] if shapes[0] else 0, size)
        yield from swap(inputs, tensors, shapes[0][-1] if shapes[0] else 0, size)
        yield from each(inputs, tensors, lambda t: at(t, -1, size))
        yield from _more(inputs, tensors, size - (shapes[0][-1] if shapes[0] else 0))


def _both(met: Tuple[int, ...], rank: int, inputs: Inputs, tensors: Tensors, channels: int) -> Iterator[Inputs]:
    """A map in the place of rows that came to a convolution, and others in that of rows that met them before."""
    rows = [name for name, tensor in tensors.items() if len(tensor.shape) == 3 < rank and tensor.dtype == "f32"]
    for name in (name for name in rows if tensors[name].shape[1:] == met[-2:]):
        for other in (other for other in rows if other != name):
            maps = {name: at(of_rank(tensors[name], rank, channels), 1, channels), other: of_rank(tensors[other], rank)}
            yield {**inputs, **maps}
    if len(rows) > 1:
        yield {**inputs, **{name: of_rank(tensors[name], rank, tensors[name].shape[1]) for name in rows}}


def _channels_last(tensor: Tensor, met: Tuple[int, ...], channels: int) -> Tensor:
    """A picture or a volume with so many channels in the last place, where that came to the second."""
    shape = tensor.shape
    if len(shape) < 4 or sorted(shape) != sorted(met) or met[1] != shape[-1] or shape[1] == shape[-1]:
        return tensor
    return tensor.resized((shape[0], *shape[2:], channels))


def _joined(shape: Tuple[int, ...], tensors: Tensors) -> int:
    """How many tensors of one shape there are, where together they make this one; else none."""
    shapes = {tensor.shape for tensor in tensors.values()}
    whole = (len(tensors) * math.prod(one) == math.prod(shape) and len(one) == len(shape) for one in shapes)
    return len(tensors) if len(tensors) > 1 and len(shapes) == 1 and all(whole) else 0


def _more(inputs: Inputs, tensors: Tensors, more: int, place: int = -1) -> Iterator[Inputs]:
    """So many more features, where some are added or taken off on the way."""
    yield from each(
        inputs, tensors, lambda t: at(t, place, t.shape[place] + more) if len(t.shape) > max(place, 0) else t
    )


def _as_met(shapes: Sequence[Tuple[int, ...]], inputs: Inputs, tensors: Tensors) -> Iterator[Inputs]:
    """An input that met what has fewer dims, its first ones, in the shape of that; also where it got one more; one
    that met what has more dims in the shape of that."""
    met = [tuple(shape) for shape in shapes]
    for one, other in zip(met, met[::-1]) if len(met) == 2 else ():
        while other[:1] == (1,):
            other = other[1:]
        if 1 < len(other) < len(one) and all(1 in (size, first) or size == first for size, first in zip(other, one)):
            fitting = {one: other, one[1:]: other, **({one[:-1]: other[:-1]} if one[-1] == 1 else {})}
            given = [(name, fitting[t.shape]) for name, t in tensors.items() if t.shape in fitting]
            yield from ({**inputs, name: tensors[name].resized(shape)} for name, shape in given)
        if 1 < len(one) < len(other) and 1 not in other:  # noise for what was computed
            yield from ({**inputs, name: t.resized(other)} for name, t in tensors.items() if t.shape == one)


def _of_broadcast(shapes: List[Tuple[int, ...]], inputs: Inputs, tensors: Tensors) -> Iterator[Inputs]:
    """What two shapes that met differ in, in the place where they do."""
    met = [tuple(shape) for shape in shapes[:2]]
    if len({len(shape) for shape in met}) == 2:  # a dim was added to what should have had one less
        longest = max((len(tensor.shape) for tensor in tensors.values()), default=0)
        rank = min(max(map(len, met)), longest)
        lower = [name for name, tensor in tensors.items() if len(tensor.shape) == rank > 1]
        sizes = [tuple(one for one in shape if one != 1) for shape in met if 1 in shape]  # it got more dims
        lower = [name for name, tensor in tensors.items() if len(tensor.shape) > 2 and tensor.shape in sizes] + lower
        yield from ({**inputs, name: of_rank(tensors[name], len(tensors[name].shape) - 1)} for name in lower)
    for one, other in (met, met[::-1]) if len(met) == 2 else ():
        places = [-n for n, (a, b) in enumerate(zip(one[::-1], other[::-1]), 1) if a != b and 1 not in (a, b)]
        for name, tensor in tensors.items():
            ends = [size for size in one if size != 1]
            if places and [size for size in tensor.shape if size != 1][-len(ends) :] == ends[-len(tensor.shape) :]:
                changed = tensor
                for place in places:
                    changed = at(changed, place, other[place])
                yield {**inputs, name: changed}
                if tensor.shape == one and len(one) == len(other) and _FACTOR.search(name):  # of all of several
                    yield {**inputs, name: tensor.resized(tuple(1 if a != b else a for a, b in zip(one, other)))}
        for place in places:  # positions that are learned, of what is made shorter before they are added
            yield from scaled(inputs, tensors, one[place], other[place])


def _of_sizes(attempt: Attempt, inputs: Inputs, tensors: Tensors) -> Iterator[Inputs]:
    """One size for another: those that met in the operation that failed, and those that the message names."""
    pairs = list(mismatches(attempt))
    for one, other in pairs:
        yield from of_area(inputs, tensors, one, other)
        yield from swap(inputs, tensors, one, other)
        yield from swap(inputs, tensors, other, one)
    sizes = {size for tensor in tensors.values() for size in tensor.shape}
    if re.search(r"divi|multiple|invalid for input|chunk|split|must match|broadcast|assert", attempt.message) or (
        not attempt.message
    ):
        for side in (224, 64, 16, 8, 256):
            yield everywhere(inputs, tensors, lambda t, side=side: larger(t, side))
    if re.search(r"don't multiply up|at least one tensor|non-empty list", attempt.message):
        yield from ({**inputs, name: at(tensor, 2, 17)} for name, tensor in tensors.items() if len(tensor.shape) == 5)
    for name, tensor in tensors.items():
        if len(tensor.shape) == 5:
            for frames in (17, 16, 9, 32, 4):  # one more than a multiple where the first frame stands alone
                yield {**inputs, name: larger(at(tensor, 2, frames), 224)}
                yield {**inputs, name: at(tensor, 2, frames)}
    text = f"{attempt.message} {attempt.last_text()}"
    named = [int(n) for n in re.findall(r"(?<![\w.])\d+(?![\w.])", text)][:12] + attempt.numbers_read()
    for number in dict.fromkeys(n for n in named if 0 < n <= MAX_SIZE and n not in sizes):
        for place in (-1, 1):
            yield from each(inputs, tensors, lambda t, place=place, number=number: at(t, place, number))
        yield everywhere(inputs, tensors, lambda t, number=number: larger(t, number))
        if "%" in text or "divisible" in text:
            for place in (-1, 1):
                yield from each(inputs, tensors, lambda t, place=place, number=number: at(t, place, 4 * number))
    for name, tensor in tensors.items():
        if len(tensor.shape) > 2:
            for length in (1, 2, 4, 64, 196, 197):
                yield {**inputs, name: at(tensor, 1, length)}


def key(inputs: Inputs) -> Tuple[Tuple[str, str], ...]:
    """By which inputs are told apart."""
    return tuple((name, str(value)) for name, value in sorted(inputs.items()))

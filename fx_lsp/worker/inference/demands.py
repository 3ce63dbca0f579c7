"""What a failure asks for: other inputs that are worth a try, best first."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Callable, Dict, Iterator, List, Tuple

from fx_lsp.worker.inference.attempts import Attempt
from fx_lsp.worker.inference.inputs import Inputs, Tensor, of_rank

Tensors = Dict[str, Tensor]
"""Those of the inputs that are tensors; the ones named where it failed go first."""
Change = Callable[[Tensor], Tensor]

_RANK = (
    r"expected (\d)D", r"[Ee]xpected (?:a )?(\d)-?[dD]", r"[Ee]xpected (\d) dims", r"expected to be (\d)-?[dD]",
    r"\(expected (\d)\b",
    r"expected (\d), got \d\)", r"len\(dims\) = (\d)", r"must be (\d)-?[dD]", r"(\d)D (?:input|tensor) expected",
    r"should be (\d)-?[dD]", r"expects? (?:a )?(\d)-?[dD]", r"needs (?:a )?(\d)-?[dD]",
)  # fmt: skip
_INTEGERS = re.compile(
    r"expected.*(Long|[Ii]nt|index)|must be long|indices must be|IndexError.*integer|scalar types? (Long|Int)"
    r"|only integer|int64|tensors used as indices"
)
_FLOATS = re.compile(
    r"(expected|to be|be a|require).*([Ff]loat|floating)|not implemented for '(Long|Int|Bool)'|got Long|long int|dtype"
)
_PAIRS = (
    r"tensor a \((\d+)\).*tensor b \((\d+)\)", r"(\d+) and (\d+)", r"Expected size (\d+) but got size (\d+)",
    r"expected .*?(\d+).*got.*?(\d+)", r"(\d+)x\d+ and \d+x(\d+)", r"(\d+) != (\d+)", r"\d+x(\d+) and (\d+)x\d+",
    r"to have (\d+) channels, but got (\d+)", r"(\d+)\D{0,40}(?:multiple of|divisible by)\D{0,9}(\d+)",
    r"shape \W*[(\[][\w, ]*?(\d+)[)\]]\W* but got shape .*?(\d+)[)\]]",
)  # fmt: skip
_CONVOLUTION = re.compile(r"conv(?:_transpose)?([123])d")
_SPLIT = re.compile(r"sum exactly to (\d+).*split_sizes=\[([\d, ]+)\]")
MAX_SIZE = 65_536
LARGE = (224, 299, 128, 64)


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
    if _INTEGERS.search(message):
        yield from _each(inputs, tensors, _as_integers)
    if _FLOATS.search(message):
        yield from _each(inputs, tensors, lambda t: replace(t, dtype="f32"))
    if "batch" in message:
        yield _all(inputs, tensors, lambda t: _at(t, 0, 1))
    if re.search(r"uint8|[Bb]yte", message):
        yield from _each(inputs, tensors, lambda t: replace(t, dtype="u8"))
    if "bool" in message.lower():
        yield from _each(inputs, tensors, lambda t: replace(t, dtype="b8"))
    if re.search(r"divide axis|divisible|Expected size|reduction pattern", message):
        for side in (64, 224, 256, 16, 8):
            yield _all(inputs, tensors, lambda t, side=side: _larger(t, side))
    if failing is not None:
        yield from _of_operation(failing, inputs, tensors)
        if re.search(r"Attempting to broadcast|tensor a \(", message):
            yield from _of_broadcast(failing[1], inputs, tensors)
    yield from _of_view(message, inputs, tensors)
    if re.search(
        r"too small|greater than actual|Kernel size|kernel size|non-positive|larger than|smaller than|out of bounds"
        r"|k not in range|k out of range",
        message,
    ):
        for side in LARGE:
            yield _all(inputs, tensors, lambda t, side=side: _larger(_at(t, 2, 32) if len(t.shape) == 5 else t, side))
            yield _all(inputs, tensors, lambda t, side=side: _larger(t, side))
    if re.search(r"(same|equal|match|dimensions).*\[[\d, ]*\].*\[[\d, ]*\]", message):
        yield from _alike(inputs, tensors)
    yield from _of_rank(message, inputs, tensors)
    yield from _of_sizes(attempt, inputs, tensors)


def _of_operation(
    failing: Tuple[str, List[Tuple[int, ...]], tuple], inputs: Inputs, tensors: Tensors
) -> Iterator[Inputs]:
    name, shapes, args = failing
    match = _CONVOLUTION.fullmatch(name)
    if match and len(shapes) > 1:
        rank, weight = int(match[1]) + 2, shapes[1]
        groups = next((a for a in args[6:7] if isinstance(a, int)), 1) if "transpose" not in name else 1
        channels = weight[1] * groups if "transpose" not in name else weight[0]
        yield from _swap(inputs, tensors, shapes[0][1] if len(shapes[0]) > 1 else 0, channels)
        yield from _each(inputs, tensors, lambda t: _at(of_rank(t, rank, channels), 1, channels))
        if len(shapes[0]) == rank:
            yield from _more(inputs, tensors, channels - shapes[0][1], 1)
    elif name in ("linear", "rnn", "lstm", "gru") and len(shapes) > 1:
        yield from _swap(inputs, tensors, shapes[0][-1] if shapes[0] else 0, shapes[1][-1])
        yield from _each(inputs, tensors, lambda t: _at(t, -1, shapes[1][-1]))
        yield from _scaled(inputs, tensors, shapes[0][-1] if shapes[0] else 0, shapes[1][-1])
        yield from _more(inputs, tensors, shapes[1][-1] - (shapes[0][-1] if shapes[0] else 0))
    elif "matmul" in name:  # of `a @ b.T`, which turns all dims
        yield _all(inputs, tensors, lambda t: of_rank(t, 2) if len(t.shape) > 2 else t)
    elif name == "embedding":
        yield from _each(inputs, tensors, _as_integers)
    elif name in ("batch_norm", "instance_norm", "group_norm") and len(shapes) > 1:
        size = shapes[1][0] if shapes[1] else 0
        yield from _swap(inputs, tensors, shapes[0][1] if len(shapes[0]) > 1 else 0, size)
        yield from _each(inputs, tensors, lambda t: _at(t, 1, size))
    elif name in ("layer_norm", "rms_norm") and len(args) > 1 and isinstance(args[1], (tuple, list)) and args[1]:
        size = args[1][-1]
        yield from _scaled(inputs, tensors, shapes[0][-1] if shapes[0] else 0, size)
        yield from _swap(inputs, tensors, shapes[0][-1] if shapes[0] else 0, size)
        yield from _each(inputs, tensors, lambda t: _at(t, -1, size))
        yield from _more(inputs, tensors, size - (shapes[0][-1] if shapes[0] else 0))


def _more(inputs: Inputs, tensors: Tensors, more: int, place: int = -1) -> Iterator[Inputs]:
    """So many more features, where some are added or taken off on the way."""
    yield from _each(
        inputs, tensors, lambda t: _at(t, place, t.shape[place] + more) if len(t.shape) > max(place, 0) else t
    )


def _of_broadcast(shapes: List[Tuple[int, ...]], inputs: Inputs, tensors: Tensors) -> Iterator[Inputs]:
    """What two shapes that met differ in, in the place where they do."""
    met = [tuple(shape) for shape in shapes[:2]]
    for one, other in (met, met[::-1]) if len(met) == 2 else ():
        places = [-at for at, (a, b) in enumerate(zip(one[::-1], other[::-1]), 1) if a != b and 1 not in (a, b)]
        for name, tensor in tensors.items():
            ends = [size for size in one if size != 1]
            if places and [size for size in tensor.shape if size != 1][-len(ends) :] == ends[-len(tensor.shape) :]:
                changed = tensor
                for place in places:
                    changed = _at(changed, place, other[place])
                yield {**inputs, name: changed}
        for place in places:  # positions that are learned, of what is made shorter before they are added
            yield from _scaled(inputs, tensors, one[place], other[place])


def _of_rank(message: str, inputs: Inputs, tensors: Tensors) -> Iterator[Inputs]:
    ranks = [int(match[1]) for pattern in _RANK if (match := re.search(pattern, message))]
    more = re.search(r"Dimension out of range \(expected to be in range of \[-(\d), .*but got (-?\d+)", message)
    if more:
        wanted = int(more[2])
        ranks.append(wanted + 1 if wanted >= 0 else -wanted)
    for rank in dict.fromkeys(rank for rank in ranks if rank <= 6):
        yield from _each(inputs, tensors, lambda t, rank=rank: of_rank(t, rank))
        yield _all(inputs, tensors, lambda t, rank=rank: of_rank(t, rank))
    if re.search(r"dim|rank|shape|unpack|size|axes|index", message):
        for step in (1, -1, 2):
            yield from _each(inputs, tensors, lambda t, step=step: of_rank(t, max(len(t.shape) + step, 1)))


def _of_view(message: str, inputs: Inputs, tensors: Tensors) -> Iterator[Inputs]:
    """As many features as a shape that was asked for has room for."""
    if match := re.search(r"shape '\[([-\d, ]+)\]' is invalid for input of size (\d+)", message):
        asked, count = [int(size) for size in match[1].split(",")], int(match[2])
        known = math.prod(size for size in asked if size > 0)
        free = max((at for at, size in enumerate(asked) if size < 0), default=-1)
        after = math.prod(asked[free + 1 :])
        for name, tensor in tensors.items():
            if tensor.shape and free >= 0:
                yield {**inputs, name: _at(tensor, -1, after)}
            elif tensor.shape and count and known * tensor.shape[-1] % count == 0:
                yield {**inputs, name: _at(tensor, -1, known * tensor.shape[-1] // count)}


def _of_sizes(attempt: Attempt, inputs: Inputs, tensors: Tensors) -> Iterator[Inputs]:
    """One size for another: those that met in the operation that failed, and those that the message names."""
    pairs = list(mismatches(attempt))
    for one, other in pairs:
        yield from _of_area(inputs, tensors, one, other)
        yield from _swap(inputs, tensors, one, other)
        yield from _swap(inputs, tensors, other, one)
    sizes = {size for tensor in tensors.values() for size in tensor.shape}
    if re.search(r"divi|multiple|invalid for input|chunk|split|must match|broadcast|assert", attempt.message) or (
        not attempt.message
    ):
        for side in (224, 64, 16, 8, 256):
            yield _all(inputs, tensors, lambda t, side=side: _larger(t, side))
    for name, tensor in tensors.items():
        if len(tensor.shape) == 5:
            for frames in (16, 32, 4):
                yield {**inputs, name: _larger(_at(tensor, 2, frames), 224)}
                yield {**inputs, name: _at(tensor, 2, frames)}
    text = f"{attempt.message} {attempt.last_text()}"
    named = [int(n) for n in re.findall(r"(?<![\w.])\d+(?![\w.])", text)][:12]
    for number in dict.fromkeys(n for n in named if 0 < n <= MAX_SIZE and n not in sizes):
        for place in (-1, 1):
            yield from _each(inputs, tensors, lambda t, place=place, number=number: _at(t, place, number))
        yield _all(inputs, tensors, lambda t, number=number: _larger(t, number))
        if "%" in text or "divisible" in text:
            for place in (-1, 1):
                yield from _each(inputs, tensors, lambda t, place=place, number=number: _at(t, place, 4 * number))
    for name, tensor in tensors.items():
        if len(tensor.shape) > 2:
            for length in (1, 2, 4, 64, 196, 197):
                yield {**inputs, name: _at(tensor, 1, length)}


def mismatches(attempt: Attempt) -> Iterator[Tuple[int, int]]:
    """Pairs of sizes that met and do not go together."""
    message = attempt.message
    if match := _SPLIT.search(message):
        yield int(match[1]), sum(map(int, re.findall(r"\d+", match[2])))
    for pattern in _PAIRS:
        for one, other in re.findall(pattern, message)[:2]:
            if one != other:
                yield int(one), int(other)
    if attempt.watch.failing is not None:
        _, shapes, _ = attempt.watch.failing
        for number, shape in enumerate(shapes[:3]):
            for other in shapes[number + 1 : 3]:
                for one, two in zip(reversed(shape), reversed(other)):
                    if one != two:
                        yield one, two


def _swap(inputs: Inputs, tensors: Tensors, old: int, new: int) -> Iterator[Inputs]:
    """Every dim of the size `old` becomes `new`: in all inputs at once, then in one only."""
    if old == new or not 0 < new <= MAX_SIZE:
        return

    def swapped(tensor: Tensor) -> Tensor:
        return tensor.resized(tuple(new if size == old else size for size in tensor.shape))

    yield _all(inputs, tensors, swapped)
    yield from _each(inputs, tensors, swapped)


def _scaled(inputs: Inputs, tensors: Tensors, got: int, needed: int) -> Iterator[Inputs]:
    """Sizes that change in the same proportion: of channels that are folded into features."""
    for name, tensor in tensors.items() if got and needed else ():
        for place, size in enumerate(tensor.shape):
            if place and size * needed % got == 0 and 0 < size * needed // got <= 4096:
                yield {**inputs, name: _at(tensor, place, size * needed // got)}


def _of_area(inputs: Inputs, tensors: Tensors, one: int, other: int) -> Iterator[Inputs]:
    """Pictures so much larger that there are as many places in them as were expected."""
    few, many = sorted((one, other))
    times = math.isqrt(many // few) if few > 0 and many % few == 0 else 0
    for name, tensor in tensors.items():
        side = tensor.shape[-1] * times if len(tensor.shape) == 4 else 0
        if times > 1 and times * times * few == many and 0 < side <= 1024:
            yield {**inputs, name: tensor.resized((*tensor.shape[:2], tensor.shape[2] * times, side))}


def _alike(inputs: Inputs, tensors: Tensors) -> Iterator[Inputs]:
    """One tensor in the shape of another, of higher rank first."""
    for tensor in sorted(tensors.values(), key=lambda tensor: -len(tensor.shape)):
        for other, changed in tensors.items():
            if changed.shape != tensor.shape:
                yield {**inputs, other: changed.resized(tensor.shape)}


def _each(inputs: Inputs, tensors: Tensors, change: Change) -> Iterator[Inputs]:
    for name, tensor in tensors.items():
        yield {**inputs, name: change(tensor)}


def _all(inputs: Inputs, tensors: Tensors, change: Change) -> Inputs:
    return {**inputs, **{name: change(tensor) for name, tensor in tensors.items()}}


def _at(tensor: Tensor, place: int, size: int) -> Tensor:
    shape = list(tensor.shape)
    if not -len(shape) <= place < len(shape) or not 0 < size <= MAX_SIZE:
        return tensor
    shape[place] = size
    return tensor.resized(tuple(shape))


def _larger(tensor: Tensor, side: int) -> Tensor:
    """Another height and width, or length."""
    shape = tensor.shape
    if len(shape) >= 4:
        return tensor.resized((*shape[:2], *(side if size == shape[-1] else size for size in shape[2:])))
    return tensor.resized((*shape[:-1], side)) if len(shape) == 3 else tensor


def _as_integers(tensor: Tensor) -> Tensor:
    shape = tensor.shape
    return Tensor("i64", (shape[0], shape[1] if shape[1] <= 256 else 16) if len(shape) > 2 else shape, tensor.wrap)


def key(inputs: Inputs) -> Tuple[Tuple[str, str], ...]:
    """By which inputs are told apart."""
    return tuple((name, str(value)) for name, value in sorted(inputs.items()))

"""Whether a failure is the model's own: one that nothing which it is given gets past.

Each size of the inputs is changed, their types and how many dims they have, then each number that the model was built
with.  Where all that comes to the same place fails there again, with sizes that differ by as much or in the same
proportion, they are sizes of the model's text; what gets further, or has another difference, is a matter of what was
made up.  Of an argument that no change of comes that far nothing is known.
"""

from __future__ import annotations

import ast
import itertools
import math
import re
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple

from fx_lsp.worker.inference.attempts import Attempt, Built, TooLong
from fx_lsp.worker.inference.changes import swap
from fx_lsp.worker.inference.constructors import Constructor
from fx_lsp.worker.inference.corrections import Arguments
from fx_lsp.worker.inference.groups import LISTS, flat, folded
from fx_lsp.worker.inference.inputs import Group, Input, Inputs, Plain, Tensor, numbers, of_rank
from fx_lsp.worker.inference.mismatches import mismatches
from fx_lsp.worker.inference.solving import Place, dims_of, met, place_of

Call = Callable[[Inputs], Attempt]
"""Runs the model that was built, with other inputs."""
Build = Callable[[Arguments], Optional[Call]]
"""The same for one that is built with other arguments; None where it cannot be."""

MAX_NUMBERS = 1 << 26
"""In all inputs: real tensors of more take seconds."""
MAX_ELSEWHERE = 4
"""Inputs with which a model that was built with another number is tried."""
_NUMBER = re.compile(r"(?<![A-Za-z_])\d+|(?<=\dx)\d+")
"""Not those of names, as in "mat1 and mat2"."""
MAX_RANK = 5
_RANKS = re.compile(
    r"\b\dD\b|number of (?:spatial )?dimensions|-dimensional|too many indices|Dimension out of range|[dD]imensions of"
)
"""Of messages: what is wrong is how many dims there are, and no size."""
_CONFIGURATION = re.compile(r"(?i)(config(uration)?|cfg|args|arguments|params|hparams|settings|options)$")
_VIEW = re.compile(r"shape '\[([-\d, ]+)\]' is invalid for input of size (\d+)")
_SPLIT = re.compile(r"sum exactly to (\d+).*split_sizes=\[([\d, ]+)\]")
_MET = (
    re.compile(r"expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\)"),
    re.compile(r"index (\d+) is out of bounds for dimension \d+ with size (\d+)"),
    re.compile(r"has size (\d+) for operand .*previously seen size (\d+)"),
    re.compile(
        r"reduction dim, but got \[\d+, (\d+)\] X \[(\d+), \d+\]|cannot be multiplied \(\d+x(\d+) and (\d+)x\d+\)"
    ),
    re.compile(r"equal to input_size\. Expected (\d+), got (\d+)"),
)
Pairs = Tuple[Tuple[int, int], ...]


@dataclass(frozen=True)
class Stuck:
    """Where it failed, and what is wrong there."""

    place: Place
    operations: int
    said: str
    """The message without its numbers; where sizes are known that differ, its kind alone."""
    pairs: Pairs
    """Sizes that differ."""
    numbers: Tuple[str, ...]
    """Of the message, where no two sizes are known."""

    def goes_on(self, other: Attempt) -> bool:
        """Whether another run got past it, or would perhaps."""
        if other.error is None or isinstance(other.error, TooLong):
            return True
        return place_of(other) != self.place and other.watch.operations > self.operations

    def is_at(self, other: Attempt) -> bool:
        """Whether another run failed at the same place, and not in an earlier round of a loop."""
        here = other.error is not None and place_of(other) == self.place
        return here and (other.watch.operations >= self.operations or self.is_the_same(other))

    def is_the_same(self, other: Attempt) -> bool:
        """Whether as much is wrong there in another run: sizes that differ by as much, or in the same proportion."""
        now = stuck(other)
        if now.said != self.said or now.numbers != self.numbers or len(now.pairs) != len(self.pairs):
            return False
        return all(a - b == c - d or a * d == b * c for (a, b), (c, d) in zip(self.pairs, now.pairs))


def stuck(attempt: Attempt) -> Stuck:
    """What is known of a failure."""
    pairs, said = _pairs(attempt), type(attempt.error).__name__
    numbers: Tuple[str, ...] = ()
    if not pairs:
        said = _NUMBER.sub("#", attempt.message)
        numbers = () if _RANKS.search(attempt.message) else tuple(_NUMBER.findall(attempt.message))
    return Stuck(place_of(attempt), attempt.watch.operations, said, pairs, numbers)


@dataclass(frozen=True)
class Given:
    """What a model that failed was given."""

    inputs: Inputs
    absent: Mapping[str, Input]
    """Those that it was not given, or as None, and what they may be."""
    arguments: Arguments
    """Of its constructor, those that were made up."""
    unset: bool
    """Whether others are None."""


def regardless(attempt: Attempt, given: Given, call: Call, build: Build) -> bool:
    """Whether a failure is the same whatever is changed of the inputs and of the arguments."""
    inputs = given.inputs
    if attempt.error is None or attempt.limited or numbers(inputs) > MAX_NUMBERS:
        return False
    if not all(isinstance(one, (Tensor, Plain)) or one.maker in LISTS for one in inputs.values()):
        return False
    if isinstance(attempt.error, IndexError) and not _MET[1].search(attempt.message):
        return False  # which places are asked for, the inputs may say
    if _of_nothing(attempt) and (given.absent or given.unset):
        return False
    here = stuck(attempt)
    more = ({**inputs, name: one} for name, one in given.absent.items())
    if any(here.goes_on(call(change)) for change in itertools.chain(_of_other_kinds(inputs), more)):
        return False
    runs = ((call(change), measured) for change, measured in _resized(inputs))
    return _is_measured(here, runs) and all(
        _is_measured(here, _built_with(here, given, name, text, build)) for name, text in given.arguments.items()
    )


def _is_measured(here: Stuck, runs: Iterable[Tuple[Attempt, bool]]) -> bool:
    """Whether none of these runs goes on, as much is wrong in those that are measured, and in one of all at least."""
    reached = False
    for other, measured in runs:
        if here.goes_on(other):
            return False
        if here.is_at(other):
            same = here.is_the_same(other)
            if measured and not same:
                return False
            reached |= same
    return reached


def fails_to_build(cls: type, built: Built, constructor: Constructor) -> bool:
    """Whether a constructor fails there in the same way with other arguments, and none of them gets further."""
    here, given = stuck(built.attempt), dict(built.arguments)
    if not here.place or built.attempt.limited or (_of_nothing(built.attempt) and unset(constructor)):
        return False
    frames = (lambda owner: isinstance(owner, cls)), ("__init__",)
    furthest = built.attempt.reached(*frames)
    for name, text in given.items():
        reached = False
        for changed, _, measured in _others(text):
            other = constructor.attempt({**given, name: changed}).attempt
            if other.error is None or other.reached(*frames) < furthest:
                return False
            if place_of(other) == here.place:
                same = here.is_the_same(other)
                if measured and not same:
                    return False
                reached |= same
        if not reached:
            return False
    return True


def _of_nothing(attempt: Attempt) -> bool:
    """Whether it may be about what nobody gave."""
    return "None" in attempt.message


def unset(constructor: Constructor) -> bool:
    """Whether an argument is None where nobody gives it."""
    return any(parameter.default is None for parameter in constructor.parameters.values())


def _built_with(here: Stuck, given: Given, name: str, text: str, build: Build) -> Iterator[Tuple[Attempt, bool]]:
    """Runs of what is built with other values of an argument, each with inputs that come as far, if there are any."""
    for changed, sizes, measured in _others(text):
        call = build({**given.arguments, name: changed})
        for change in _fitting(given.inputs, sizes) if call is not None else ():
            assert call is not None
            other = call(change)
            yield other, measured
            if here.is_at(other):
                break


def _fitting(inputs: Inputs, sizes: List[Tuple[int, int]]) -> Iterator[Inputs]:
    """The same, then such as have the new size in the place of the old one."""
    yield inputs
    parts = flat(inputs)
    tensors = {name: one for name, one in parts.items() if isinstance(one, Tensor)}
    for old, new in sizes:
        for number, change in enumerate(swap(parts, tensors, old, new)):
            if number < MAX_ELSEWHERE:
                yield folded(change, inputs)


def _others(text: str) -> Iterator[Tuple[str, List[Tuple[int, int]], bool]]:
    """Another number in the place of each, the sizes that change with it, and whether what is wrong is measured then:
    half or twice as many leave no rest where one more may.  The same where there is none; nothing of what is made by a
    call, but for configurations: it is another model that is made up."""
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        return
    nodes = [*ast.walk(tree)]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    names = sum(isinstance(node, ast.Name) for node in nodes)
    if names > len(calls) or not all(_CONFIGURATION.search(ast.unparse(call.func)) for call in calls):
        return
    found = [node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, (int, float))]
    for node in found:
        was = node.value
        for node.value, sizes, measured in _other_numbers(was):
            yield ast.unparse(tree), sizes, measured
        node.value = was
    if not found:
        yield text, [], True


def _other_numbers(value: Any) -> Iterator[Tuple[Any, List[Tuple[int, int]], bool]]:
    if isinstance(value, bool):
        yield not value, [], True
    elif isinstance(value, int):
        for new, measured in {value + 1: value == 0, value // 2: value % 2 == 0, value * 2: True}.items():
            if new > 0:
                yield new, [(value, new)], measured
    else:
        yield value / 2, [], True


def _resized(inputs: Inputs) -> Iterator[Tuple[Inputs, bool]]:
    """Other sizes of each dim, and of all that are as large; other numbers; see `_others`."""
    parts = flat(inputs)
    tensors: Dict[str, Tensor] = {name: one for name, one in parts.items() if isinstance(one, Tensor)}
    for dims in dims_of(parts):
        for times, more in ((2, 0), (1, 1)):
            changed = dict(tensors)
            for name, place in dims:
                shape = changed[name].shape
                size = shape[place] * times + more
                changed[name] = changed[name].resized((*shape[:place], size, *shape[place + 1 :]))
            yield folded({**parts, **changed}, inputs), more == 0
    for name, plain in parts.items():
        if isinstance(plain, Plain):
            for text, _, measured in _others(plain.text):
                yield folded({**parts, name: Plain(text)}, inputs), measured


def _of_other_kinds(inputs: Inputs) -> Iterator[Inputs]:
    """Of other types; with a dim more, with a dim less, in one tensor and in all."""
    parts = flat(inputs)
    tensors: Dict[str, Tensor] = {name: one for name, one in parts.items() if isinstance(one, Tensor)}
    for name, one in tensors.items():
        for dtype in ("f32", "i64", "b8"):
            if dtype != one.dtype:
                yield folded({**parts, name: replace(one, dtype=dtype)}, inputs)
        yield from (folded({**parts, name: other}, inputs) for other in _of_other_ranks(one))
    for name, group in inputs.items():
        if isinstance(group, Group):  # one in the place of several
            yield from ({**inputs, name: one} for _, one in group.members[:1])
    if len(tensors) > 1:
        for others in zip(*map(_of_other_ranks, tensors.values())):
            yield folded({**parts, **dict(zip(tensors, others))}, inputs)


def _of_other_ranks(tensor: Tensor) -> Iterator[Tensor]:
    shape = tensor.shape
    for other in (shape[1:], shape[:-1], (*shape[:1], 1, *shape[1:]), (*shape, 4), (1, *shape)):
        yield tensor.resized(other)
    yield from (of_rank(tensor, rank) for rank in range(MAX_RANK + 1) if rank != len(shape))


def _pairs(attempt: Attempt) -> Pairs:
    """Sizes that had to be equal and are not, where these are known; else all that met and differ."""
    if view := _VIEW.search(attempt.message):
        asked = (size for size in map(int, view[1].split(",")) if size > 0)
        return ((math.prod(asked), int(view[2])),)
    if split := _SPLIT.search(attempt.message):
        return ((int(split[1]), sum(map(int, split[2].split(",")))),)
    found = next((match for pattern in _MET if (match := pattern.search(attempt.message))), None)
    if found is not None:
        one, other = (int(size) for size in found.groups() if size is not None)
        return ((one, other),)
    if _RANKS.search(attempt.message):
        return ()
    apart = tuple(pair for pair in met(attempt).values() if pair[0] != pair[1])
    return apart or (tuple(mismatches(attempt)) if _NUMBER.search(attempt.message) else ())

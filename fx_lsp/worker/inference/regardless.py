"""Whether a failure is the model's own: one that nothing which it is given gets past.

Each size of the inputs is changed, their types and how many dims they have, then each number that the model was built
with.  Where all that comes to the same place fails there again, with sizes that differ by as much or in the same
proportion, they are sizes of the model's text; what gets further, or has another difference, is a matter of what was
made up.  Of an argument that no change of comes that far nothing is known.
"""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass
from typing import Callable, Dict, Iterable, Iterator, Mapping, Optional, Sequence, Tuple

from fx_lsp.worker.inference.attempts import Attempt, Built, TooLong
from fx_lsp.worker.inference.constructors import Constructor
from fx_lsp.worker.inference.corrections import Arguments
from fx_lsp.worker.inference.forwards import MAX_NUMBERS
from fx_lsp.worker.inference.groups import LISTS, flat
from fx_lsp.worker.inference.inputs import Group, Input, Inputs, Plain, numbers
from fx_lsp.worker.inference.mismatches import SPLIT, mismatches
from fx_lsp.worker.inference.solving import NOT_THE_MODELS, Place, met, place_of
from fx_lsp.worker.inference.varied import fitting, is_known, of_other_kinds, others, resized, switched

Call = Callable[[Inputs], Attempt]
"""Runs the model that was built, with other inputs."""
Build = Callable[[Arguments], Optional[Call]]
"""The same for one that is built with other arguments; None where it cannot be."""

_NUMBER = re.compile(r"(?<![A-Za-z_])\d+|(?<=\dx)\d+")
"""Not those of names, as in "mat1 and mat2"."""
_RANKS = re.compile(
    r"\b\dD\b|number of (?:spatial )?dimensions|-dimensional|too many indices|Dimension out of range|[dD]imensions of"
)
"""Of messages: what is wrong is how many dims there are, and no size."""
_DIM = re.compile(r"Dimension out of range .* but got (-?\d+)")
"""Which dim was asked for; an argument may say."""
_OF_MODULE = re.compile(r"'(\w+)' object has no attribute")
_VIEW = re.compile(r"shape '\[([-\d, ]+)\]' is invalid for input of size (\d+)")
_PLACE = re.compile(r"index (\d+) is out of bounds for dimension \d+ with size (\d+)")
_MET = (
    _PLACE,
    re.compile(r"expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\)"),
    re.compile(r"has size (\d+) for operand .*previously seen size (\d+)"),
    re.compile(
        r"reduction dim, but got \[\d+, (\d+)\] X \[(\d+), \d+\]|cannot be multiplied \(\d+x(\d+) and (\d+)x\d+\)"
    ),
    re.compile(r"equal to input_size\. Expected (\d+), got (\d+)"),
)
_Says = Callable[[Attempt], bool]
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
        every, dim = tuple(_NUMBER.findall(attempt.message)), _DIM.search(attempt.message)
        numbers = dim.groups() if dim is not None else () if _RANKS.search(attempt.message) else every
    return Stuck(place_of(attempt), attempt.watch.operations, said, pairs, numbers)


@dataclass(frozen=True)
class Given:
    """What a model that failed was given."""

    inputs: Inputs
    absent: Mapping[str, Input]
    """Those that it was not given, or as None, and what they may be."""
    arguments: Arguments
    """Of its constructor, those that were made up."""
    left: Mapping[str, str]
    """The others, and what they are by themselves."""


def regardless(attempt: Attempt, given: Given, call: Call, build: Build) -> bool:
    """Whether a failure is the same whatever is changed of the inputs and of the arguments."""
    here, inputs = stuck(attempt), given.inputs
    if numbers(inputs) > MAX_NUMBERS or _may_be_right(attempt, here, given):
        return False
    plain = [one.text for one in flat(inputs).values() if isinstance(one, Plain)]
    lists = all(one.maker in LISTS for one in inputs.values() if isinstance(one, Group))
    if not lists or not all(map(is_known, [*plain, *given.arguments.values()])):
        return False
    if any(here.goes_on(call(change)) for change in of_other_kinds(inputs)):
        return False
    alone = [{name: one} for name, one in given.absent.items()]
    more = (call({**inputs, **some}) for some in (*alone, *([given.absent] if len(alone) > 1 else [])))
    if not all(here.is_at(other) and here.is_the_same(other) for other in more):
        return False
    runs = ((call(change), measured) for change, measured in resized(inputs))
    groups = itertools.chain([runs], _rebuilt(here, given, build))
    return all(_are_alike(here, group, here.goes_on, here.is_at) for group in groups)


def _are_alike(here: Stuck, runs: Iterable[Tuple[Attempt, bool]], goes_on: _Says, is_at: _Says) -> bool:
    """Whether none of these runs goes on, as much is wrong in those that are measured, and in one of all at least."""
    reached = False
    for other, measured in runs:
        if goes_on(other):
            return False
        if is_at(other):
            same = here.is_the_same(other)
            if measured and not same:
                return False
            reached |= same
    return reached


def fails_to_build(cls: type, built: Built, constructor: Constructor) -> bool:
    """Whether a constructor fails there in the same way with other arguments, and none of them gets further."""
    attempt, arguments = built.attempt, dict(built.arguments)
    here, given = stuck(attempt), Given({}, {}, arguments, left_alone(constructor, arguments))
    if _may_be_right(attempt, here, given) or not all(map(is_known, arguments.values())):
        return False
    frames = (lambda owner: isinstance(owner, cls)), ("__init__",)
    furthest = attempt.reached(*frames)

    def goes_on(other: Attempt) -> bool:
        return other.error is None or other.reached(*frames) < furthest

    def is_at(other: Attempt) -> bool:
        return place_of(other) == here.place

    def runs(name: str, text: str) -> Iterator[Tuple[Attempt, bool]]:
        for changed, _, measured in others(text):
            yield constructor.attempt({**arguments, name: changed}).attempt, measured

    for name, text in arguments.items():
        if any(others(text)) and not _are_alike(here, runs(name, text), goes_on, is_at):
            return False
    switches = [{**arguments, **some} for some in _switches(given)]
    return not any(constructor.attempt(some).attempt.error is None for some in switches)


def left_alone(constructor: Constructor, arguments: Arguments) -> Dict[str, str]:
    """Arguments that are not given, and what they are then."""
    parameters = ((name, one) for name, one in constructor.parameters.items() if name not in arguments)
    return {name: repr(one.default) for name, one in parameters if one.default is not one.empty}


def _may_be_right(attempt: Attempt, here: Stuck, given: Given) -> bool:
    """Whether a failure may be what the code means, or about what somebody else is to give, to set or to choose."""
    if attempt.error is None or attempt.limited or not here.place:
        return True
    *_, last = attempt.frames()
    of_its_own = not last.f_code.co_filename.startswith(NOT_THE_MODELS)
    if of_its_own and attempt.last_text().lstrip().startswith(("raise", "assert")):
        return True
    if isinstance(attempt.error, IndexError) and not (_PLACE.search(attempt.message) or _RANKS.search(attempt.message)):
        return True  # which places are asked for, the inputs may say
    if "None" in attempt.message and (given.absent or "None" in [*given.left.values(), *given.arguments.values()]):
        return True
    lacks = _OF_MODULE.match(attempt.message)
    if lacks is not None and any(type(owner).__name__ == lacks[1] for owner, *_ in attempt.in_modules()[:1]):
        return True  # a class below it has that, or somebody sets it
    return attempt.watch.failing is not None and any(0 in shape for shape in attempt.watch.failing[1])


def _switches(given: Given) -> Iterator[Arguments]:
    """What is left alone the other way round: each by itself, and all of them; a bias has no size of its own."""
    turned = {name: other for name, text in given.left.items() if "bias" not in name and (other := switched(text))}
    yield from ({name: other} for name, other in turned.items())
    if len(turned) > 1:
        yield turned


def _rebuilt(here: Stuck, given: Given, build: Build) -> Iterator[Iterable[Tuple[Attempt, bool]]]:
    """Runs of what is built with other values of one argument, or of all that are as large; then of what is built with
    flags the other way round, which have to be as wrong where they come as far."""
    for name, text in given.arguments.items():
        if not any(others(text)):
            continue  # a configuration with its own defaults
        alike = [other for other, value in given.arguments.items() if value == text]
        groups = [[name], alike] if len(alike) > 1 else [[name]]
        yield (run for names in groups for run in _built_with(here, given, names, text, build))
    for some in _switches(given):
        call = build({**given.arguments, **some})
        other = call(given.inputs) if call is not None else None
        if other is not None and (here.goes_on(other) or here.is_at(other)):
            yield [(other, True)]


def _built_with(
    here: Stuck, given: Given, names: Sequence[str], text: str, build: Build
) -> Iterator[Tuple[Attempt, bool]]:
    """Each with inputs that come as far, if there are any."""
    for changed, sizes, measured in others(text):
        call = build({**given.arguments, **dict.fromkeys(names, changed)})
        if call is None:
            continue
        for change in fitting(given.inputs, sizes):
            other = call(change)
            yield other, measured
            if here.is_at(other):
                break


def _pairs(attempt: Attempt) -> Pairs:
    """Sizes that had to be equal and are not, where these are known; else all that met and differ."""
    if view := _VIEW.search(attempt.message):
        asked = (size for size in map(int, view[1].split(",")) if size > 0)
        return ((math.prod(asked), int(view[2])),)
    if split := SPLIT.search(attempt.message):
        return ((int(split[1]), sum(map(int, split[2].split(",")))),)
    found = next((match for pattern in _MET if (match := pattern.search(attempt.message))), None)
    if found is not None:
        one, other = (int(size) for size in found.groups() if size is not None)
        return ((one, other),)
    if _RANKS.search(attempt.message):
        return ()
    apart = tuple(pair for pair in met(attempt).values() if pair[0] != pair[1])
    return apart or (tuple(mismatches(attempt)) if _NUMBER.search(attempt.message) else ())

"""Whether a failure is the model's own: one that nothing which it is given gets past.

Each size of the inputs is changed, their types and how many dims they have, then each number that the model was built
with.  Where all that comes to the same place fails there again, with sizes that differ by as much or in the same
proportion, they are sizes of the model's text; what gets further, or has another difference, is a matter of what was
made up.  Of an argument that no change of comes that far nothing is known.
"""

from __future__ import annotations

import inspect
import itertools
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any, Callable, Dict, FrozenSet, Iterable, Iterator, Mapping, NamedTuple, Optional, Sequence

from fx_lsp.worker.imported import installed
from fx_lsp.worker.inference.attempts import Attempt, Built, TooLong
from fx_lsp.worker.inference.constructors import Constructor
from fx_lsp.worker.inference.corrections import Arguments, value_of
from fx_lsp.worker.inference.forwards import MAX_NUMBERS
from fx_lsp.worker.inference.groups import LISTS, flat
from fx_lsp.worker.inference.inputs import Group, Input, Inputs, Plain, numbers
from fx_lsp.worker.inference.solving import NOT_THE_MODELS, Place, place_of
from fx_lsp.worker.inference.stuck import PLACE, RANKS, Pairs, Stuck, stuck
from fx_lsp.worker.inference.unset import is_unset
from fx_lsp.worker.inference.varied import fitting, is_known, lengths, of_other_kinds, others, resized, switched

Call = Callable[[Inputs], Attempt]
"""Runs the model that was built, with other inputs."""
Build = Callable[[Arguments], Optional[Call]]
"""The same for one that is built with other arguments; None where it cannot be."""

_OF_MODULE = re.compile(r"'(\w+)' object has no attribute '(\w+)'")
_OF_PLAIN = re.compile(r"'(\w+)' object (?:has no|is not (?:iterable|subscriptable|callable))|argument of type '(\w+)'")
"""Of messages: something else belongs there, perhaps, of what was made up."""
_DTYPE = re.compile(r"tensors used as indices must be")
"""Of a message of an IndexError that is not about places."""
_Says = Callable[[Attempt], bool]


class Run(NamedTuple):
    """One with something changed."""

    attempt: Attempt
    measured: bool
    """Whether as much has to be wrong there."""
    changed: Pairs = ()
    """The number of the constructor that was changed, and what it is now."""
    fitted: bool = False
    """Whether the inputs have the new number."""


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
    unsaid: FrozenSet[str] = frozenset()
    """Types of arguments that were made up where nothing says what they are."""


def regardless(attempt: Attempt, given: Given, call: Call, build: Build) -> bool:
    """Whether a failure is the same whatever is changed of the inputs and of the arguments."""
    here, inputs = stuck(attempt), given.inputs
    if numbers(inputs) > MAX_NUMBERS or _may_be_right(attempt, here, given):
        return False
    plain = [one.text for one in flat(inputs).values() if isinstance(one, Plain)]
    lists = all(one.maker in LISTS for one in inputs.values() if isinstance(one, Group))
    if not lists or not all(map(is_known, [*plain, *given.arguments.values()])):
        return False
    if any(here.is_of_another_count(count) for count in lengths(given.arguments)):
        return False
    if any(here.is_passed(call(change)) for change in of_other_kinds(inputs)):
        return False
    if not _is_the_same_with(here, given, call):
        return False
    runs = (Run(call(change), measured) for change, measured in resized(inputs))
    groups = itertools.chain([runs] if inputs else [], _rebuilt(here, given, build))
    return all(_agree(here, group, here.goes_on, here.is_at) for group in groups)


def _is_the_same_with(here: Stuck, given: Given, call: Call) -> bool:
    """Whether it fails in the same way with each of the absent inputs, of one kind and past it with none, and with all
    of them."""
    alike: Inputs = {}
    for name, one in given.absent.items():
        for some in ({name: one}, *of_other_kinds({name: one})):
            other = call({**given.inputs, **some})
            if here.goes_on(other):
                return False
            if here.is_at(other) and here.is_the_same(other):
                alike.update(some)
                break
        else:
            return False
    if len(alike) < 2:
        return True
    other = call({**given.inputs, **alike})
    return here.is_at(other) and here.is_the_same(other)


def _agree(here: Stuck, runs: Iterable[Run], goes_on: _Says, is_at: _Says) -> bool:
    """Whether none of these runs goes on, as much is wrong in those that are measured, and in one of all at least; or
    none comes as far, since the number that was changed has to be what it was."""
    reached = False
    held: Dict[Place, int] = Counter()
    for run in runs:
        if goes_on(run.attempt):
            return False
        if is_at(run.attempt):
            same = here.is_the_same(run.attempt, run.changed)
            if run.measured and not same:
                return False
            reached |= same
        elif run.fitted and here.is_held(run.attempt, run.changed):
            held[place_of(run.attempt)] += 1
    return reached or any(count > 1 for count in held.values())


def fails_to_build(cls: type, built: Built, constructor: Constructor) -> bool:
    """Whether a constructor fails there in the same way with other arguments, and none of them gets further."""
    attempt, arguments = built.attempt, dict(built.arguments)
    here, given = stuck(attempt), given_of(constructor, arguments)
    if _may_be_right(attempt, here, given) or not all(map(is_known, arguments.values())):
        return False
    frames = (lambda owner: isinstance(owner, cls)), ("__init__",)
    furthest = attempt.reached(*frames)

    def goes_on(other: Attempt) -> bool:
        return other.error is None or other.reached(*frames) < furthest

    def is_at(other: Attempt) -> bool:
        return place_of(other) == here.place

    def runs(name: str, text: str) -> Iterator[Run]:
        for changed, _, measured in others(text):
            yield Run(constructor.attempt({**arguments, name: changed}).attempt, measured)

    for name, text in arguments.items():
        if any(others(text)) and not _agree(here, runs(name, text), goes_on, is_at):
            return False
    switches = [{**arguments, **some} for some in _switches(given)]
    return not any(constructor.attempt(some).attempt.error is None for some in switches)


def given_of(
    constructor: Constructor, arguments: Arguments, inputs: Optional[Inputs] = None, absent: Optional[Inputs] = None
) -> Given:
    """What is known of these arguments, and the inputs of the model if it was called."""
    left, kinds = _left_alone(constructor, arguments), _unsaid(constructor, arguments)
    return Given(inputs or {}, absent or {}, arguments, left, kinds)


def _left_alone(constructor: Constructor, arguments: Arguments) -> Dict[str, str]:
    """Arguments that are not given, and what they are then."""
    parameters = ((name, one) for name, one in constructor.parameters.items() if name not in arguments)
    return {name: repr(one.default) for name, one in parameters if one.default is not one.empty}


def _unsaid(constructor: Constructor, arguments: Arguments) -> FrozenSet[str]:
    """Types of arguments that have neither an annotation nor a default which says them."""
    anything = inspect.Parameter("anything", inspect.Parameter.KEYWORD_ONLY, default=None)
    named = {name: constructor.parameters.get(name, anything) for name in arguments}
    silent = (inspect.Parameter.empty, Any, None)

    def is_silent(name: str, one: inspect.Parameter) -> bool:
        hint = constructor.hints.get(name, one.annotation)
        return any(one.default is each for each in silent) and any(hint is each for each in silent)

    return frozenset(type(value_of(arguments[name])).__name__ for name, one in named.items() if is_silent(name, one))


def _may_be_right(attempt: Attempt, here: Stuck, given: Given) -> bool:
    """Whether a failure may be what the code means, or about what somebody else is to give, to set or to choose."""
    if attempt.error is None or isinstance(attempt.error, TooLong) or attempt.limited or not here.place:
        return True
    if _is_raised_by_it(attempt) and attempt.last_text().lstrip().startswith(("raise", "assert")):
        return True
    if isinstance(attempt.error, IndexError) and not any(one.search(attempt.message) for one in (PLACE, RANKS, _DTYPE)):
        return True  # which places are asked for, the inputs may say
    if PLACE.search(attempt.message) and any(attempt.input_of(one) for one in _operands(attempt)):
        return True
    if "None" in attempt.message and (given.absent or "None" in [*given.left.values(), *given.arguments.values()]):
        return True
    plain = _OF_PLAIN.search(attempt.message)
    if plain is not None and {*plain.groups()} & {*given.unsaid, *_kinds(given.inputs)}:
        return True
    lacks = _OF_MODULE.match(attempt.message)
    asked = [type(owner).__name__ for owner, *_ in attempt.in_modules()[:1]]
    if lacks is not None and [lacks[1]] == asked and not is_unset(attempt, lacks[2], bool(given.arguments)):
        return True
    return attempt.watch.failing is not None and any(0 in shape for shape in attempt.watch.failing[1])


def _operands(attempt: Attempt) -> Iterator[Any]:
    """What failed was given, those of an index one by one."""
    for one in attempt.watch.failing[2] if attempt.watch.failing is not None else ():
        yield from one if isinstance(one, tuple) else (one,)


def _kinds(inputs: Inputs) -> Iterator[str]:
    """Types of inputs that are no tensors."""
    yield from (type(value_of(one.text)).__name__ for one in flat(inputs).values() if isinstance(one, Plain))


def _is_raised_by_it(attempt: Attempt) -> bool:
    """Whether it failed in code of the model's package, which may refuse what it is given; others refuse what that
    code makes of it."""
    *_, last = attempt.frames()
    file, modules = last.f_code.co_filename, attempt.in_modules()
    name = type(modules[-1][0]).__module__ if modules else ""
    foreign = last.f_globals.get("__name__", "").partition(".")[0] != name.partition(".")[0]
    return not file.startswith(NOT_THE_MODELS) and not (name and foreign and installed(file))


def _switches(given: Given) -> Iterator[Arguments]:
    """What is left alone the other way round: each by itself, and all of them; a bias has no size of its own."""
    turned = {name: other for name, text in given.left.items() if "bias" not in name and (other := switched(text))}
    yield from ({name: other} for name, other in turned.items())
    if len(turned) > 1:
        yield turned


def _rebuilt(here: Stuck, given: Given, build: Build) -> Iterator[Iterable[Run]]:
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
            yield [Run(other, True)]


def _built_with(here: Stuck, given: Given, names: Sequence[str], text: str, build: Build) -> Iterator[Run]:
    """Each with inputs that come as far, if there are any."""
    for changed, sizes, measured in others(text):
        call = build({**given.arguments, **dict.fromkeys(names, changed)})
        for number, change in enumerate(fitting(given.inputs, sizes)) if call is not None else ():
            other = call(change)
            yield Run(other, measured, tuple(sizes), number > 0)
            if here.is_at(other):
                break

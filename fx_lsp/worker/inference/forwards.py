"""Finding inputs that a module runs on."""

from __future__ import annotations

import heapq
import itertools
import re
from dataclasses import dataclass, replace
from typing import Callable, Iterator, List, Optional, Sequence, Set, Tuple

import torch
from torch import nn

from fx_lsp.worker.inference.attempts import Attempt, TooLong, words
from fx_lsp.worker.inference.beforehand import Forward, distributions, is_main
from fx_lsp.worker.inference.changes import each, everywhere
from fx_lsp.worker.inference.clock import Clock
from fx_lsp.worker.inference.demands import edits, key
from fx_lsp.worker.inference.groups import (
    apart,
    beside,
    flat,
    folded,
    gathered,
    grouped,
    longer,
    members,
    pyramids,
    renamed,
    turned,
)
from fx_lsp.worker.inference.inputs import LENGTH, Inputs, Plain, Tensor, is_elongated, numbers, tensors_of
from fx_lsp.worker.inference.meaning import given_as_tensor
from fx_lsp.worker.inference.mending import lacks
from fx_lsp.worker.inference.mismatches import mismatches
from fx_lsp.worker.inference.names import text_of
from fx_lsp.worker.inference.places import as_many, truths, unpacked
from fx_lsp.worker.inference.solving import Solver
from fx_lsp.worker.inference.stuck import STRIDED
from fx_lsp.worker.inference.variables import variables

MAX_RUNS = 150
"""Runs of one module."""
MAX_EDITS = 14
"""Inputs tried after one failure."""
MAX_NUMBERS = 1 << 26
"""In all inputs of a run: real tensors of more take seconds, in which nothing can be interrupted."""

_NUMBER = re.compile(
    r"Boolean value of Tensor|only one element tensors|interpreted as an integer|must be tuple of ints"
    r"|only integer tensors"
    r"|a Tensor with \d+ elements cannot be converted to Scalar"
    r"|invalid combination of arguments - got \([^()]*\b(Fake)?Tensor\b"
)
"""Of messages: a number was wanted."""
_ONE_NUMBER = re.compile(r"'int' object is not (?:subscriptable|iterable)")
_NO_TENSOR = re.compile(r"'(int|float|bool)' object has no attribute '(\w+)'")
_ASSERTED = re.compile(r"['\"](\w+)['\"] (?:not )?in \w+")
AFTER_LIMIT = 0.7
"""Seconds in which other inputs are tried when sizes alone do not go on with these."""


@dataclass(frozen=True)
class Found:
    """Inputs, and how far the module came with them."""

    given: Inputs
    inputs: str
    """As they are written."""
    attempt: Attempt
    line: int = 0
    """Of the method, that it came to before it failed."""
    strided: Optional[Found] = None
    """Larger ones of the same kinds, with which it failed over where in memory numbers lie, which no size decides."""

    @property
    def limited(self) -> bool:
        """Fake tensors cannot go on there, so it may well run."""
        return self.attempt.limited

    @property
    def rank(self) -> Tuple[bool, bool, int, bool, int]:
        """More is better."""
        operations, ended = self.attempt.watch.operations, self.attempt.error is None
        return ended and operations > 0, self.limited, operations, ended, self.line

    def as_far_as(self, other: Found) -> bool:
        """Whether both ended at the same place for the same reason, however much was done on the way."""
        one, two = self.attempt, other.attempt
        return one.message == two.message and one.last_text() == two.last_text()


Call = Callable[[Inputs], Attempt]
"""Calls the module with them."""


def find(forward: Forward, call: Call, clock: Clock, deadline: float, before: Sequence[Inputs] = ()) -> Optional[Found]:
    """The inputs with which the module gets furthest, those first that were found `before`; None when it was never
    called."""
    order = itertools.count()
    queue: List[Tuple[int, int, int, Inputs]] = [(0, 0, next(order), inputs) for inputs in (*before, *forward.starts())]
    seen = {key(inputs): 0 for *_, inputs in queue}  # with the most operations that ran before it was thought of
    tried: Set[Tuple[Tuple[str, str], ...]] = set()
    solver = Solver(call)
    best: Optional[Found] = None
    strided: Optional[Found] = None
    for _ in range(MAX_RUNS):
        if not queue or (best is not None and clock.now() >= deadline):
            break
        _, depth, _, inputs = heapq.heappop(queue)
        if key(inputs) in tried:
            continue
        tried.add(key(inputs))
        attempt = call(inputs)
        place = attempt.frame_of(lambda owner: owner is forward.instance, (forward.way.method,))
        found = Found(inputs, forward.text(inputs), attempt, place[1] if place is not None else 0)
        if best is None or (found.rank > best.rank and not (found.limited and found.as_far_as(best))):
            best = found
        if attempt.error is None and (attempt.watch.operations or not forward.named):
            ids = _of_ids(forward, call, inputs) if attempt.watch.of_ids else None
            return ids or replace(found, strided=strided if strided and _alike(strided.given, inputs) else None)
        if strided is None and STRIDED.search(attempt.message):
            strided = found
        if found.limited and attempt.watch.operations > 3:
            deadline = min(deadline, clock.now() + AFTER_LIMIT)
        if lacks(forward.instance, attempt):
            return found
        if isinstance(attempt.error, TooLong):
            depth += 3
        for change in solver.solved(attempt, inputs):
            if key(change) not in tried and _is_usual(change):
                heapq.heappush(queue, (-solver.operations, 0, next(order), {**change, **forward.way.given}))
        changes = ({**change, **forward.way.given} for change in _next(forward, attempt, inputs))
        for number, change in enumerate(itertools.islice(changes, MAX_EDITS)):
            if attempt.watch.operations > seen.get(key(change), -1) and _is_usual(change):
                seen[key(change)] = attempt.watch.operations
                heapq.heappush(queue, (-attempt.watch.operations, depth + 1 + number // 3, next(order), change))
    return best


def _is_usual(inputs: Inputs) -> bool:
    return numbers(inputs) <= MAX_NUMBERS and not any(map(is_elongated, tensors_of(inputs)))


def _alike(one: Inputs, other: Inputs) -> bool:
    """Whether they differ in sizes at most."""
    kinds = [{name: (part.dtype, len(part.shape)) for name, part in flat(each).items() if isinstance(part, Tensor)}
             for each in (one, other)]  # fmt: skip
    return one.keys() == other.keys() and kinds[0] == kinds[1]


def _of_ids(forward: Forward, call: Call, inputs: Inputs) -> Optional[Found]:
    """The same with integers, where what was drawn at random became ids: some of it is less than nothing."""
    parts = flat(inputs)
    tensors = {name: one for name, one in parts.items() if isinstance(one, Tensor) and one.dtype == "f32"}

    def whole(tensor: Tensor) -> Tensor:
        return replace(tensor, dtype="i64")

    for change in (folded(one, inputs) for one in [*each(parts, tensors, whole), everywhere(parts, tensors, whole)]):
        attempt = call(change)
        if attempt.error is None and not attempt.watch.of_ids:
            return Found(change, forward.text(change), attempt)
    return None


def _next(forward: Forward, attempt: Attempt, inputs: Inputs) -> Iterator[Inputs]:
    """Other inputs to try after a failure, best first."""
    place = attempt.frame_of(lambda owner: owner is forward.instance, (forward.way.method,))
    here = words(place[2]) if place is not None else []
    local = variables(place[0]) if place is not None else {}
    said = words(attempt.message)
    absent = [p.name for p in forward.named if p.name not in inputs or inputs[p.name] == Plain("None")]
    nothing = re.search(
        r"None|specify|provide|required|missing|must be|either", f"{attempt.message} {attempt.condition()[1]}"
    )
    if nothing or attempt.error is None or isinstance(attempt.error, UnboundLocalError):
        wanted = [name for name in absent if name in said]
        inner = words(attempt.last_text())
        wanted += [name for name in inner if name in absent and local.get(name, 0) is None]
        wanted += [name for name in absent if name in here and local.get(name, 0) is None]
        for alias in (name for name in here if name in local and local[name] is None and name not in forward.options):
            given = re.findall(rf"\b{alias} = (.+)", text_of(type(forward.instance)))
            wanted += [name for name in absent if name in words(" ".join(given))]
        if isinstance(attempt.error, UnboundLocalError):  # it is bound where something is given
            tested = re.findall(r"\bif (\w+) is not None", text_of(type(forward.instance)))
            wanted += [name for name in tested if name in absent]
        for name in dict.fromkeys(wanted):
            yield {**inputs, name: forward.options[name][0]}
        if attempt.error is None or not wanted:
            for name in forward.main():
                if name in absent:
                    yield {**inputs, name: forward.options[name][0]}
    if forward.open and (match := re.search(r"missing \d+ required .*arguments?: (.*)", attempt.message)):
        left = [name for name in re.findall(r"'(\w+)'", match[1]) if name not in inputs]
        if left:
            yield {**inputs, **{name: forward.by_name(name)[0] for name in left}}
    if forward.more and (match := re.search(r"missing \d+ required positional arguments?: (.*)", attempt.message)):
        left = [name for name in re.findall(r"'(\w+)'", match[1]) if name not in forward.positional]
        if left and all(name in inputs for name in forward.positional):
            forward.positional += tuple(left)
            yield {**inputs, **{name: forward.by_name(name)[0] for name in left}}
    if forward.open:  # looked up in what takes the rest, or asserted to be there
        keys = (
            attempt.error.args[:1] if isinstance(attempt.error, KeyError) else _ASSERTED.findall(attempt.condition()[1])
        )
        keys = [key for key in keys if isinstance(key, str) and key.isidentifier() and key not in inputs]
        if keys:
            yield {**inputs, **{key: forward.by_name(key)[0] for key in keys}}
    for name in said if forward.open else ():
        if is_main(name) and name not in inputs and name not in forward.options:
            yield {**inputs, name: forward.by_name(name)[0]}
    if "not callable" in attempt.message:
        for name in (name for name in here if name in inputs):
            yield {**inputs, name: Plain("None")}
            yield {**inputs, name: Plain("lambda x, *a, **k: x")}
    suspects = [name for name in here if name in inputs] or [
        name for name in words(attempt.last_text()) if name in inputs
    ]
    if isinstance(attempt.error, (TypeError, AttributeError)) and (single := _single(forward, inputs, suspects)):
        yield {**inputs, **single}
    for name in suspects:
        yield from ({**inputs, name: Plain(repr(key))} for key in attempt.known_keys())
    yield from as_many(attempt, inputs)
    yield from unpacked(attempt, inputs)
    yield from truths(attempt, inputs)
    yield from grouped(attempt, inputs, suspects, place[2] if place is not None else "", forward.by_name)
    if (match := _NO_TENSOR.search(attempt.message)) and hasattr(torch.Tensor, match[2]):
        for name in (name for name in suspects if isinstance(inputs[name], Plain)):
            for one in given_as_tensor(name):
                yield {**inputs, name: one}
    if _ONE_NUMBER.search(attempt.message):  # of which perhaps something else was made before
        for name in (name for name, one in inputs.items() if isinstance(one, Plain) and one.text.isdigit()):
            yield from ({**inputs, name: one} for one in given_as_tensor(name))
    read = attempt.message.rpartition(" ")[2].strip("'")
    if "SimpleNamespace' object has no attribute" in attempt.message:
        yield from (beside(inputs, name, one) for name in suspects for one in forward.able(name, read))
    if "Tensor' object has no attribute" in attempt.message:
        yield from (beside(inputs, name, one) for name in suspects for one in forward.able(name, read))
        if hasattr(nn.Module, read):
            yield from ({**inputs, name: Plain("torch.nn.Linear(64, 64)")} for name in suspects)
        if hasattr(torch.distributions.Distribution, read):
            normal = next(distributions(torch.distributions.Normal))
            yield from ({**inputs, name: normal} for name in suspects)
    yield from longer(attempt, {name: inputs[name] for name in suspects or inputs})
    yield from turned(attempt, inputs)
    yield from gathered(attempt, inputs)
    yield from renamed(attempt, inputs)
    changed = _edited(attempt, inputs, suspects)
    if _NUMBER.search(attempt.message):
        tensors = [name for name in suspects if isinstance(one := inputs[name], Tensor) and one.wrap == "{0}"]
        for number in (str(LENGTH), "0.5"):
            yield {**inputs, **{name: Plain(number) for name in tensors}}
            yield from ({**inputs, name: Plain(number)} for name in tensors)
    if attempt.watch.failing is not None:
        yield from pyramids(list(mismatches(attempt)), inputs)
        if lists := apart({name: inputs[name] for name in suspects}):
            yield from itertools.islice(_edited(attempt, {**inputs, **lists}, suspects), MAX_EDITS // 2)
    yield from itertools.islice(changed, MAX_EDITS // 2)
    if attempt.watch.failing is not None:  # perhaps what is joined to it is absent
        yield from ({**inputs, name: forward.options[name][0]} for name in forward.joined if name in absent)
    yield from itertools.islice(changed, MAX_EDITS // 2 - 4)
    for name in suspects or list(inputs):
        if name in forward.options:
            options = forward.options[name]
            at = options.index(inputs[name]) + 1 if inputs[name] in options else 0
            for option in options[at : at + 3]:
                yield {**inputs, name: option}


def _edited(attempt: Attempt, inputs: Inputs, suspects: List[str]) -> Iterator[Inputs]:
    parts = [part for name in suspects for part in members(inputs, name)]
    yield from (folded(change, inputs) for change in edits(attempt, flat(inputs), parts))


def _single(forward: Forward, inputs: Inputs, names: List[str]) -> Inputs:
    """One tensor for each of these inputs that was a list of them."""
    lists = [name for name in names if isinstance(one := inputs[name], Tensor) and one.wrap[:1] in ("[", "(")]
    found: Inputs = {}
    for name in lists:
        options = (one for one in forward.by_name(name) if isinstance(one, Tensor) and one.wrap == "{0}")
        found[name] = next(options, inputs[name])
    return found

"""After a search: which of the failures that ended it are the models' own."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Callable, Iterator, Optional

from torch import nn

from fx_lsp.model.messages import Invented
from fx_lsp.worker.inference.attempts import Attempt, Built
from fx_lsp.worker.inference.clock import Clock
from fx_lsp.worker.inference.constructors import Constructor
from fx_lsp.worker.inference.corrections import Arguments
from fx_lsp.worker.inference.forwards import Found
from fx_lsp.worker.inference.inputs import Inputs, Plain
from fx_lsp.worker.inference.names import together
from fx_lsp.worker.inference.reasons import why_forward
from fx_lsp.worker.inference.regardless import Given, regardless, unset
from fx_lsp.worker.inference.solving import place_of

if TYPE_CHECKING:
    from fx_lsp.worker.inference.search import Searcher

LEAST = 1.0
"""Seconds for all of them when there is no time left."""
PER_FAILURE = 2.0
"""Seconds for one of them."""
_NOTHING = Plain("None")


def judged(search: Searcher) -> Iterator[Invented]:
    """Those that nothing which the class is given gets past, where what was built first fails in such a way with that:
    what was built later was built to get past it.  What takes least is looked at first, and each place once."""
    end, places = Clock(max(search.clock.left(), LEAST)), set()
    for name, cls, tried in sorted(search.unsettled, key=lambda one: one[2][0][1].attempt.watch.operations):
        for built, found in tried:
            search.clock, place = Clock(min(end.left(), PER_FAILURE)), place_of(found.attempt)[-1:]
            if end.left() > 0 and place not in places and _is_its_own(search, cls, built, found):
                places.add(place)
                setup, call = together(built.setup, search.names.setup(found.inputs)), f"{built.call}({found.inputs})"
                why = why_forward(cls, found.attempt)
                yield Invented(name, setup, call, found.attempt.watch.operations, why, True)
                break


class _TimeIsOver(Exception):
    """Nothing is said then."""


def _is_its_own(search: Searcher, cls: type, built: Built, found: Found) -> bool:
    """Whether it fails there whatever it is given."""
    constructor = Constructor(cls, search.names, search.evaluate, search.clock)

    def in_time(run: Callable[[Inputs], Attempt]) -> Callable[[Inputs], Attempt]:
        def call(inputs: Inputs) -> Attempt:
            if search.clock.left() <= 0:
                raise _TimeIsOver
            return run(inputs)

        return call

    def build(given: Arguments) -> Optional[Callable[[Inputs], Attempt]]:
        if search.clock.left() <= 0:
            raise _TimeIsOver
        other = constructor.attempt(given)
        return in_time(search.called(other)[1]) if isinstance(other.instance, nn.Module) else None

    with search.engines.real() if found.limited else nullcontext():
        forward, call = search.called(built)
        attempt = call(found.given) if found.limited else found.attempt
        absent = {name: one[0] for name, one in forward.options.items() if found.given.get(name, _NOTHING) == _NOTHING}
        given = Given(found.given, absent, dict(built.arguments), unset(constructor))
        try:
            return regardless(attempt, given, in_time(call), build)
        except _TimeIsOver:
            return False

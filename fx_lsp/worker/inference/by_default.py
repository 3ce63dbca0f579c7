"""Whether a class fails as its author made it: with the numbers that its arguments are by default.

A search goes on with other numbers until something runs.  With a number in the place of a default that runs which
nobody wrote: of 604 classes of released packages that an example was found for, three needed one.
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import TYPE_CHECKING, Iterator, Mapping, Optional, Tuple

from fx_lsp.model.messages import Invented
from fx_lsp.worker.inference.attempts import Built
from fx_lsp.worker.inference.clock import Clock
from fx_lsp.worker.inference.constructors import Constructor
from fx_lsp.worker.inference.corrections import value_of
from fx_lsp.worker.inference.forwards import Found
from fx_lsp.worker.inference.judged import told
from fx_lsp.worker.inference.live import parameters_of_call
from fx_lsp.worker.inference.reasons import why_not_built
from fx_lsp.worker.inference.regardless import fails_to_build

if TYPE_CHECKING:
    from fx_lsp.worker.inference.search import Searcher

SECONDS = 2.0
"""For what is looked at again."""
Tried = Tuple[Built, Found]


def as_made(search: Searcher, name: str, cls: type, first: Tried, ran: Tried) -> Optional[Invented]:
    """The failure of a class that `ran` with other numbers than its own, if nothing else that it is given gets past it;
    `first` is what was built first, and what came of it."""
    built, found = ran
    constructor = Constructor(cls, search.names, search.evaluate, search.clock)
    arguments = dict(built.arguments)
    others = {*_others(constructor.parameters, {one: value_of(text) for one, text in arguments.items()})}
    forward = {one.name: one for one in parameters_of_call(cls, "forward")}
    given = {one: value_of(str(text)) for one, text in found.given.items()}
    inputs = {one: text for one, text in found.given.items() if one not in {*_others(forward, given)}}
    if not others and len(inputs) == len(found.given):
        return None
    clock, search.clock = search.clock, Clock(min(SECONDS, max(search.clock.left(), 0.0)))
    try:
        own = constructor.attempt({one: text for one, text in arguments.items() if one not in others})
        if own.attempt.error is not None:
            if not others or not fails_to_build(cls, own, constructor):
                return None
            return Invented(name, own.setup, f"{own.call}()", 0, why_not_built(cls, [own]), True)
        if first[1].attempt.error is not None and first[0].call == own.call:
            return told(search, name, cls, *first)
        tensors, call = search.called(own)
        attempt = call(inputs)
        failed = replace(found, given=inputs, inputs=tensors.text(inputs), attempt=attempt)
        return told(search, name, cls, own, failed) if attempt.error is not None else None
    finally:
        search.clock = clock


def _others(parameters: Mapping[str, inspect.Parameter], given: Mapping[str, object]) -> Iterator[str]:
    """Arguments that are another number than by default, where that is more than nothing."""
    for name, value in given.items():
        default = parameters[name].default if name in parameters else None
        if type(default) is int and default > 0 and type(value) is int and value != default:
            yield name

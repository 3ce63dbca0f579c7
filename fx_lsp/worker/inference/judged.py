"""After a search: which of the failures that ended it are the models' own."""

from __future__ import annotations

import ast
import inspect
import sys
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Callable, Iterator, Optional

from torch import nn

from fx_lsp.model.messages import Invented
from fx_lsp.worker.inference.attempts import Attempt, Built
from fx_lsp.worker.inference.clock import Clock
from fx_lsp.worker.inference.constructors import Constructor
from fx_lsp.worker.inference.corrections import Arguments
from fx_lsp.worker.inference.forwards import Found
from fx_lsp.worker.inference.inputs import Inputs, Plain, Tensor
from fx_lsp.worker.inference.live import source
from fx_lsp.worker.inference.names import Names, together
from fx_lsp.worker.inference.reasons import why_forward
from fx_lsp.worker.inference.regardless import given_of, regardless
from fx_lsp.worker.inference.signatures import inherited
from fx_lsp.worker.inference.solving import place_of

if TYPE_CHECKING:
    from fx_lsp.worker.inference.search import Searcher

LEAST, MOST = 0.2, 8.0
"""For all of them: part of the time of the search when there is none left, and seconds at most."""
PART = 0.5
"""Of what is left, for one of them while others wait."""
_NOTHING = Plain("None")
_VAGUE = (Any, object, float, int, None, "Any", "float", "int")
"""Annotations that say nothing of what is given; a number is a tensor of one, often."""


def invented(
    names: Names, name: str, cls: type, built: Built, inputs: str, attempt: Attempt, own: bool = False
) -> Invented:
    """What came of giving it these inputs."""
    why = "" if attempt.error is None else why_forward(cls, attempt)
    setup = together(built.setup, names.setup(inputs))
    return Invented(name, setup, f"{built.call}({inputs})", attempt.watch.operations, why, own)


class _TimeIsOver(Exception):
    """Nothing is said then."""


def judged(search: Searcher) -> Iterator[Invented]:
    """Those that nothing which the class is given gets past: of what was built first, then of what got furthest, where
    that is given no argument that has a default.  Where least is made up is looked at first, and each place once."""
    searching, places = search.clock, set()
    end = Clock(min(max(searching.left(), search.seconds * LEAST), MOST))
    unsettled = sorted(search.unsettled, key=lambda one: (len(one[2][0].arguments), one[2][1].attempt.watch.operations))
    for number, (name, cls, first, furthest) in enumerate(unsettled, 1):
        search.clock = Clock(end.left() * (PART if number < len(unsettled) else 1))
        another = (first[0].call, first[1].inputs) != (furthest[0].call, furthest[1].inputs)
        alike = another and dict(first[0].arguments).keys() == dict(furthest[0].arguments).keys()
        for built, found in (first, furthest) if alike else (first,):
            place = place_of(found.attempt)[-1:]
            own = told(search, name, cls, built, found) if place not in places else None
            if own is not None:
                places.add(place)
                yield own
                break
    search.clock = searching


def told(search: Searcher, name: str, cls: type, built: Built, found: Found) -> Optional[Invented]:
    """Its call, if it fails there whatever it is given."""
    try:
        attempt = _own(search, cls, built, found)
    except _TimeIsOver:
        return None
    except Exception as error:  # code of the workspace raises where it is looked at: nothing is said of it
        print(f"fx-lsp: {name} is not judged: {type(error).__name__}: {error}", file=sys.stderr)
        return None
    return invented(search.names, name, cls, built, found.inputs, attempt, own=True) if attempt else None


def _own(search: Searcher, cls: type, built: Built, found: Found) -> Optional[Attempt]:
    """The failure, if it is the same whatever the model is given, but for numbers that `forward` has by default; where
    fake tensors could not go on, on real ones."""
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
        again = search.evaluate(built.setup, built.call) if found.limited else built.attempt
        if not isinstance(again.value, nn.Module):
            return None
        cls = type(again.value)
        if any(isinstance(found.given.get(name), Tensor) for name in (*_taken_apart(cls), *_said_otherwise(cls))):
            return None  # several things belong there, perhaps, or an object
        forward, call = search.called(replace(built, attempt=again))
        attempt = in_time(call)(found.given)
        numbers = {one.name for one in forward.named if has_number(one)}
        left = (name for name in forward.options if found.given.get(name, _NOTHING) == _NOTHING)
        absent = {name: forward.options[name][0] for name in left if name not in numbers}
        arguments = dict(built.arguments)
        given = given_of(constructor, arguments, found.given, absent)
        return attempt if regardless(attempt, given, in_time(call), build) else None


def has_number(parameter: inspect.Parameter) -> bool:
    """Whether it is a whole number by default, and more than nothing: its author's word for what runs."""
    return type(parameter.default) is int and parameter.default > 0


def _said_otherwise(cls: type) -> Iterator[str]:
    """Inputs whose annotations speak of no tensor: `physics: Physics`."""
    for name, hint in inherited(cls, "forward").items():
        if "Tensor" not in str(hint) and hint not in _VAGUE:
            yield name


def _taken_apart(cls: type) -> Iterator[str]:
    """Inputs that `forward` takes things out of: `text, lengths = inputs`, `inputs[0]`, `for one in inputs`."""
    for node in ast.walk(source(cls.forward) or ast.Module([], [])):
        if isinstance(node, ast.Assign) and any(isinstance(one, (ast.Tuple, ast.List)) for one in node.targets):
            parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            yield from (getattr(one, "id", "") for one in parts)
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, (ast.Constant, ast.UnaryOp)):
            yield getattr(node.value, "id", "")
        elif isinstance(node, (ast.For, ast.comprehension)):
            yield getattr(node.iter, "id", "")
        elif isinstance(node, ast.Starred):
            yield getattr(node.value, "id", "")

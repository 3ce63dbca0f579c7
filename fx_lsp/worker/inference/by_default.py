"""Whether a class fails as its author made it: with the numbers that its arguments are by default.

A search goes on with other numbers until something runs.  With a number in the place of a default that runs which
nobody wrote: of 604 classes of released packages that an example was found for, three needed one.  What somebody else
may complete or choose, a class below, another method or an argument that is a text or None, says nothing.
"""

from __future__ import annotations

import ast
import inspect
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Tuple

from torch import nn

from fx_lsp.model.messages import Invented
from fx_lsp.worker.inference.attempts import Built
from fx_lsp.worker.inference.clock import Clock
from fx_lsp.worker.inference.constructors import Constructor
from fx_lsp.worker.inference.corrections import value_of
from fx_lsp.worker.inference.forwards import Found
from fx_lsp.worker.inference.judged import has_number, told
from fx_lsp.worker.inference.live import parameters_of_call, source
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
    try:
        forward = {one.name: one for one in parameters_of_call(cls, "forward")}
    except (TypeError, ValueError):  # it was found without them
        forward = {}
    given = {one: value_of(str(text)) for one, text in found.given.items()}
    inputs = {one: text for one, text in found.given.items() if one not in {*_others(forward, given)}}
    if (not others and len(inputs) == len(found.given)) or _is_for_others(cls, constructor, built):
        return None
    clock, search.clock = search.clock, Clock(min(SECONDS, max(search.clock.left(), 0.0)))
    try:
        kept = {one: text for one, text in arguments.items() if one not in others}
        own = constructor.attempt(kept)
        if own.attempt.error is not None:  # with what was made up it is that, perhaps, which does not go with a default
            if kept or not fails_to_build(cls, own, constructor):
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
    """Arguments that are another number than by default."""
    for name, value in given.items():
        one = parameters.get(name)
        if one is not None and has_number(one) and type(value) in (int, float) and value != one.default:
            yield name


def _is_for_others(cls: type, constructor: Constructor, built: Built) -> bool:
    """Whether somebody else is to complete it, or chooses with an argument what it is made of."""
    own = {name: one for name, one in vars(cls).items() if inspect.isfunction(one)}
    below = [name for one in cls.__subclasses__() for name in vars(one)]
    if any(name in below for name in own if name not in ("__init__", "forward")):
        return True
    if any(type(one) is nn.Identity or _is_empty(one) for one in getattr(built.instance, "modules", tuple)()):
        return True
    texts = {name: source(one) for name, one in own.items()}
    made = [texts.get(name) for name in ("__init__", "forward")]
    set_later = {
        one for name, text in texts.items() if name not in ("__init__", "forward") for one in _attributes(text)
    }
    read = {one.attr for one in _nodes(texts.get("forward")) if isinstance(one, ast.Attribute)}
    left = (one for one in constructor.parameters.values() if one.name not in dict(built.arguments))
    choices = {one.name for one in left if one.default is None or isinstance(one.default, str)}
    return bool(set_later & read or choices & {name for text in made for name in _asked(text)})


def _is_empty(module: Any) -> bool:
    return isinstance(module, (nn.Sequential, nn.ModuleList, nn.ModuleDict)) and len(module) == 0


def _nodes(text: Optional[ast.FunctionDef]) -> Iterator[ast.AST]:
    return ast.walk(text) if text is not None else iter(())


def _attributes(text: Optional[ast.FunctionDef]) -> Iterator[str]:
    """That a method binds, of its instance or of a part of it."""
    for node in _nodes(text):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def _asked(text: Optional[ast.FunctionDef]) -> Iterator[str]:
    """Names and attributes that are compared, or of which it is asked whether they are something."""
    for node in _nodes(text):
        tests = [node.test] if isinstance(node, (ast.If, ast.IfExp, ast.Assert)) else []
        values = node.values if isinstance(node, ast.BoolOp) else []
        compared = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
        looked_up = [node.slice] if isinstance(node, ast.Subscript) else []
        for one in (*tests, *values, *compared, *looked_up):
            name = one.operand if isinstance(one, ast.UnaryOp) else one
            yield name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")

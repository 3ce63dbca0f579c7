"""Which calls may have made a layer."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from fx_lsp.analysis.mends._parameters import PARAMETERS, called, passed, passed_to
from fx_lsp.analysis.mends._statements import node_at
from fx_lsp.analysis.source import Source, walk
from fx_lsp.model.failure import Attempt

_PLACES = re.compile(r"(?<=self\.)\w+|(?<=\[)\d+(?=\])")
MAX_PASSED = 3
"""Functions that pass a class on."""
Callers = tuple[tuple[Source, ast.expr], ...]
"""Expressions, each called by the next one."""


def places(
    sources: list[Source], layer: Attempt, settings: Mapping[str, Any], callers: Callers
) -> list[tuple[Source, ast.Call]]:
    """Calls of its constructor: where its owner gets it, else those in the classes that led to it first."""
    for source in sources:
        node = node_at(source, layer.built) if layer.built is not None else None
        made = _makers(source, node, layer, settings) if isinstance(node, ast.expr) else []
        if made:
            return [(source, call) for call in made]
        if isinstance(node, ast.Name) and (found := _named(sources, node.id, layer.target)):
            return found
    leading = {id(around(source, node)[0]) for source, node in callers}
    found = [(source, call) for source in sources for call in calls_in(source, layer.target)]
    found = [(source, call) for source, call in found if _agrees(call, layer.target, settings)]
    own = {id(call) for source, node in callers[:1] for call in _for_attribute(source, node, layer, settings)}
    return sorted(found, key=lambda one: (id(one[1]) not in own, id(around(*one)[0]) not in leading))


def _for_attribute(source: Source, node: ast.expr, layer: Attempt, settings: Mapping[str, Any]) -> list[ast.Call]:
    """Calls in what the class around assigns to the attribute that is called, or in the function that makes that."""
    owner, names = around(source, node)[0], _PLACES.findall(layer.called)[:1]
    inside = [one for one in (walk(owner) if owner is not None else ()) if isinstance(one, ast.Assign)]
    assigned = [one.value for one in inside if getattr(one.targets[0], "attr", None) in names]
    made = [call for value in assigned if isinstance(value, ast.Call)
            for call in _in_function(source, value, layer, settings)]  # fmt: skip
    return [*(call for value in assigned for call in _calls(value, layer.target)), *made]


def _makers(source: Source, node: ast.expr, layer: Attempt, settings: Mapping[str, Any]) -> list[ast.Call]:
    """The call itself, one inside it, one in the function that it calls, or one elsewhere in the class; else a call of
    what may pass all on."""
    name = layer.target
    if isinstance(node, ast.Call) and called(node) == name:
        return [node]
    if isinstance(node, ast.Call) and (found := _in_function(source, node, layer, settings)):
        return found
    owner, _ = around(source, node)
    wholes = [node, *_added(owner, layer.called)]
    inside = [one for whole in wholes for one in walk(whole) if isinstance(one, ast.Call)]
    made = [call for one in inside for call in _in_function(source, one, layer, settings)]
    direct = [call for whole in wholes for call in _agreeing(whole, name, settings)]
    # An entry of a list of layers may be made by a function as well as where the list is.
    for found in ([*direct, *made], _agreeing(owner, name, settings)):
        if found:
            return list({id(one): one for one in found}.values())
    return [node] if isinstance(node, ast.Call) and node.args else []


def _agreeing(where: ast.AST | None, name: str, settings: Mapping[str, Any]) -> list[ast.Call]:
    return [call for call in _calls(where, name) if _agrees(call, name, settings)]


def _added(owner: ast.ClassDef | None, layer: str) -> list[ast.expr]:
    """What is added to the list of layers that one is in: `self.blocks[0][2]` is the third of what each round adds."""
    name, *places = _PLACES.findall(layer) if layer.startswith("self.") else [""]
    found: list[ast.expr] = []
    for one in walk(owner) if owner is not None and name else ():
        func = one.func if isinstance(one, ast.Call) else None
        if not isinstance(one, ast.Call) or not isinstance(func, ast.Attribute) or func.attr != "append":
            continue
        if one.args and getattr(func.value, "attr", "") == name:
            found.append(_entry(one.args[0], [int(place) for place in places[1:] if place.isdigit()]))
    return found


def _entry(node: ast.expr, places: list[int]) -> ast.expr:
    """The part of what is written for a list of layers."""
    for place in places:
        given = node.args[0] if isinstance(node, ast.Call) and node.args else None
        if not isinstance(given, ast.List | ast.Tuple) or place >= len(given.elts):
            return node
        node = given.elts[place]
    return node


def _in_function(source: Source, node: ast.Call, layer: Attempt, settings: Mapping[str, Any]) -> list[ast.Call]:
    """Calls in the function of the file that gives a sequence of layers; first the one with the layer's number."""
    functions = source.tree.body if source.tree is not None else []
    function = next((one for one in functions if isinstance(one, ast.FunctionDef) and one.name == called(node)), None)
    found = [call for call in _calls(function, layer.target) if _agrees(call, layer.target, settings)]
    number = layer.called.rpartition("[")[2].rstrip("]")
    returned = [one.value for one in walk(function) if isinstance(one, ast.Return)] if function is not None else []
    given = [one.args for one in returned if isinstance(one, ast.Call) and called(one) == "Sequential"]
    own = [args[int(number)] for args in given if number.isdigit() and int(number) < len(args)]
    return sorted(found, key=lambda call: call not in own) if given else []


def makers_for(source: Source, caller: ast.expr, name: str) -> list[ast.Call]:
    """Calls of a class in the class that called what it made; first those that are assigned to what was called."""
    owner, _ = around(source, caller)
    found = _calls(owner, name)
    attribute = getattr(getattr(caller, "func", None), "attr", "")
    own = [
        id(call)
        for statement in (walk(owner) if owner is not None else ())
        if isinstance(statement, ast.Assign) and getattr(statement.targets[0], "attr", "") == attribute
        for call in _calls(statement, name)
    ]
    found = found or calls_in(source, name) or [*_of_passed(source, name)]
    return sorted(found, key=lambda call: id(call) not in own)


def _of_passed(
    source: Source, name: str, inside: ast.FunctionDef | None = None, depth: int = MAX_PASSED
) -> Iterator[ast.Call]:
    """Calls of a class under the name that functions get it by: `make(Block, 8)` with `def make(block, dim): …`."""
    calls = source.every(ast.Call) if inside is None else [one for one in walk(inside) if isinstance(one, ast.Call)]
    for call in calls if depth else ():
        for function in _functions(source, called(call)):
            given = passed(call, passed_to(function))
            for alias in (key for key, one in given.items() if isinstance(one, ast.Name) and one.id == name):
                yield from (one for one in _calls(function, alias) if isinstance(one.func, ast.Name))
                yield from _of_passed(source, alias, function, depth - 1)


def _functions(source: Source, name: str) -> list[ast.FunctionDef]:
    """The functions and methods of this name, and the constructor of a class of this name."""
    owners = [one for one in source.every(ast.ClassDef) if one.name == name]
    made = [
        one for owner in owners for one in owner.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"
    ]
    return [*made, *(one for one in source.every(ast.FunctionDef) if one.name == name)]


def _named(sources: list[Source], name: str, target: str) -> list[tuple[Source, ast.Call]]:
    """Calls in what is assigned to a variable of this name."""
    return [
        (source, call)
        for source in sources
        for statement in source.every(ast.Assign)
        if getattr(statement.targets[0], "id", "") == name
        for call in _calls(statement.value, target)
    ]


def _agrees(call: ast.Call, name: str, settings: Mapping[str, Any]) -> bool:
    """Whether the layer may have been made with the numbers that are written."""
    given = passed(call, PARAMETERS.get(name, ()))
    numbers = {key: one.value for key, one in given.items() if isinstance(one, ast.Constant) and key in settings}
    return all(settings[key] in (value, (value,) * 1, (value,) * 2, (value,) * 3) for key, value in numbers.items())


def around(source: Source, node: ast.expr | ast.stmt) -> tuple[ast.ClassDef | None, ast.FunctionDef | None]:
    """The innermost class with it, and the function of that class."""
    inside = [one for one in source.every(ast.ClassDef) if one.lineno <= node.lineno <= (one.end_lineno or 0)]
    owner = max(inside, key=lambda one: one.lineno, default=None)
    functions = [one for one in (owner.body if owner is not None else ()) if isinstance(one, ast.FunctionDef)
                 and one.lineno <= node.lineno <= (one.end_lineno or 0)]  # fmt: skip
    return owner, functions[0] if functions else None


def calls_in(source: Source, name: str) -> list[ast.Call]:
    """All of a file."""
    return [one for one in source.every(ast.Call) if called(one) == name]


def _calls(where: ast.AST | None, name: str) -> list[ast.Call]:
    return [one for one in walk(where) if isinstance(one, ast.Call) and called(one) == name] if where else []

"""Classes and what they have: by inheritance, through an attribute of an attribute, in a sequence, in other files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from fx_lsp.analysis.mends._bound import assigned, attribute, classes, entries, layer_called, loop_with
from fx_lsp.analysis.mends._makers import Callers, around
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._reached import Files, none
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source, walk
from fx_lsp.model.failure import Attempt

_ENTRY = re.compile(r"self\.(\d+)")
_LISTS = ("ModuleList", "Sequential")
MAX_DEPTH = 3
"""Attributes of attributes, or classes above a class."""
Held = tuple[Source, ast.expr, Callers]
"""What is assigned, in its file, and the constructor of the class that does so where it is another one."""


def defined(name: str, source: Source, files: Files = none) -> tuple[Source, ast.ClassDef] | None:
    """The class of this name, here or in another file."""
    for where in (source, *files()) if name else ():
        for one in classes(where):
            if one.name == name:
                return where, one
    return None


def held(source: Source, node: ast.expr, files: Files = none, depth: int = MAX_DEPTH) -> list[Held]:
    """What is assigned to the attribute that is called: `self.conv`, `self.backbone.conv`."""
    name = layer_called(source, node)
    if name is None:
        return []
    own = assigned(source, node, name)
    if own or not depth:
        return [(source, one, ()) for one in own]
    inner = node.value if isinstance(node, ast.Attribute) else None
    if inner is None or attribute(inner) is None:
        owner = around(source, node)[0]
        return _inherited(source, owner, name, files, depth) if owner is not None else []
    found: list[Held] = []
    for where, made, led in held(source, inner, files, depth - 1):
        there = defined(called(made), where, files) if isinstance(made, ast.Call) else None
        if there is not None:
            values = _inherited(there[0], there[1], name, files, depth, own=True)
            found += [(file, value, (*above, (where, made), *led)) for file, value, above in values]
    return found


def _inherited(
    source: Source, owner: ast.ClassDef, name: str, files: Files, depth: int, own: bool = False
) -> list[Held]:
    """What a class has for an attribute, or the classes above it."""
    values = assigned(source, owner.body[0], name) if own else []
    if values or not depth:
        return [(source, one, ()) for one in values]
    for base in owner.bases:
        above = defined(getattr(base, "attr", getattr(base, "id", "")), source, files)
        if above is not None and above[1] is not owner and (found := _inherited(*above, name, files, depth - 1, True)):
            return found
    return []


def constructors(source: Source, call: ast.expr, owner: str) -> Iterator[ast.Call]:
    """Where a class is made that is called: the call itself, or entries of the sequence that is called."""
    if not isinstance(call, ast.Call):
        return
    if called(call) == owner:
        yield call
        return
    layer = layer_called(source, call.func)
    for made in assigned(source, call, layer) if layer is not None else ():
        for one in walk(made):
            yield from (part for part in _entries(one) if isinstance(part, ast.Call) and called(part) == owner)


def likely_makers(source: Source, caller: ast.expr, found: list[ast.Call], files: Files) -> list[ast.Call]:
    """Of the calls that may have made what is called: itself first, and none that is not in what it is assigned."""
    function = caller.func if isinstance(caller, ast.Call) else caller
    made = taken_apart(source, function, held(source, function, files))
    inside = {id(part) for _, value, _ in made for part in walk(value)}
    own = [call for call in found if call is caller or id(call) in inside]
    return sorted(own or found, key=lambda call: call is not caller)


def entry_of(source: Source, call: ast.expr, layer: Attempt, files: Files) -> tuple[Source, ast.Call] | None:
    """Where an entry of a class that is a sequence itself is made: `super().__init__(nn.Linear(8, 4), Gate())`."""
    number = _ENTRY.fullmatch(layer.called)
    made = held(source, call.func, files) if number is not None and isinstance(call, ast.Call) else []
    for where, one, _ in made:
        there = defined(called(one), where, files) if isinstance(one, ast.Call) else None
        inside = walk(there[1]) if there is not None else ()
        calls = [one for one in inside if isinstance(one, ast.Call) and called(one) == "__init__"]
        own = [part for one in calls for part in entries(one)][int(number[1]) :][:1] if number is not None else []
        if there is not None and own and isinstance(own[0], ast.Call) and called(own[0]) == layer.target:
            return there[0], own[0]
    return None


def earlier(source: Source, node: ast.expr) -> Iterator[list[ast.expr]]:
    """The entries that stand before this one in its sequence, in their order."""
    for call in source.every(ast.Call):
        given = entries(call)
        number = next((number for number, one in enumerate(given) if any(part is node for part in _ways(one))), 0)
        if number:
            yield given[:number]


def is_made(source: Source, function: ast.FunctionDef, callers: Callers) -> bool:
    """Whether what led to a function first is the constructor of its class, not a call of it."""
    owner, call = around(source, function)[0], callers[0][1] if callers else None
    return owner is not None and isinstance(call, ast.Call) and called(call) == owner.name


def _entries(node: ast.AST) -> list[ast.expr]:
    return [part for one in entries(node) for part in _ways(one)] if isinstance(node, ast.Call) else []


def _ways(entry: ast.expr) -> list[ast.expr]:
    """`nn.BatchNorm1d(8) if norm else nn.Identity()` is one of two."""
    return [*_ways(entry.body), *_ways(entry.orelse)] if isinstance(entry, ast.IfExp) else [entry]


def base_name(base: ast.expr) -> str:
    """`Conv1d` of `nn.Conv1d`."""
    return base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")


def taken_apart(source: Source, node: ast.expr, values: list[Held]) -> list[Held]:
    """Of each value the part that the variable of a loop stands for: `for norm, mix in self.layers`."""
    function = innermost(source, node) if isinstance(node, ast.Name) else None
    loop = loop_with(function, node) if isinstance(node, ast.Name) else None
    target = loop.target if loop is not None else None
    names = [getattr(part, "id", "") for part in target.elts] if isinstance(target, ast.Tuple) else []
    if loop is not None and isinstance(node, ast.Name) and node.id in names and attribute(loop.iter) is not None:
        place, count = names.index(node.id), len(names)
        found = [(where, _part(value, place, count), led) for where, value, led in values]
        return [(where, part, led) for where, part, led in found if part is not None]
    return values


def _part(value: ast.expr, place: int, count: int) -> ast.expr | None:
    """Of what is written for a list of lists, or for one of these."""
    if not isinstance(value, ast.List | ast.Tuple) and not (isinstance(value, ast.Call) and called(value) in _LISTS):
        return None
    inside = entries(value)
    if len(inside) == count and not any(_part(one, place, count) is not None for one in inside):
        return inside[place]
    return next((part for one in inside if (part := _part(one, place, count)) is not None), None)

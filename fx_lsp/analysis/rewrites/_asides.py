"""Tensors that a call is given only to ask for their dtype or device: others that have these may be in their place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import takewhile

from fx_lsp.analysis.names import dotted
from fx_lsp.analysis.rewrites._file import File
from fx_lsp.analysis.rewrites._statements import plain_definition

_FACTS = frozenset({"dtype", "device"})
_MAKERS = frozenset({"new_zeros", "new_ones", "new_full", "new_empty", "new_tensor"})
"""Methods that make a tensor of the same dtype on the same device."""


def of_facts(file: File, owner: ast.ClassDef | None, call: ast.Call) -> Iterator[ast.Name]:
    """Variables that the call is given for these only."""
    func = call.func
    if isinstance(func, ast.Attribute) and func.attr == "type_as":
        yield from (one for one in call.args if isinstance(one, ast.Name))
    elif isinstance(func, ast.Attribute) and func.attr in _MAKERS and isinstance(func.value, ast.Name):
        yield func.value
    elif (function := _function(file, owner, func)) is not None:
        own = owner is not None and function in owner.body
        named = [*function.args.posonlyargs, *function.args.args][own:]
        by_place = takewhile(lambda one: not isinstance(one, ast.Starred), call.args)
        given = {one.arg: value for one, value in zip(named, by_place, strict=False)}
        given |= {one.arg: one.value for one in call.keywords if one.arg is not None}
        for name, value in given.items():
            if isinstance(value, ast.Name) and _asks_facts(function, name):
                yield value


def _function(file: File, owner: ast.ClassDef | None, func: ast.expr) -> ast.FunctionDef | None:
    """The plain function of the file, or method of the class, that is called."""
    path = dotted(func) or ""
    body = owner.body if owner is not None and path.startswith("self.") else file.top
    found = plain_definition(body, path.removeprefix("self."))
    return found if isinstance(found, ast.FunctionDef) and found.args.vararg is None else None


def _asks_facts(function: ast.FunctionDef, name: str) -> bool:
    """Whether it asks an argument for these, and nothing else of it."""
    nodes = [*ast.walk(function)]
    asked = {id(one.value) for one in nodes if isinstance(one, ast.Attribute) and one.attr in (*_FACTS, *_MAKERS)}
    for one in nodes:
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr == "type_as":
            asked |= {id(given) for given in one.args}
    uses = [one for one in nodes if isinstance(one, ast.Name) and one.id == name]
    return bool(uses) and all(id(one) in asked for one in uses)

"""Which parameters of a method are dicts, by the keys that its text looks up in them (`batch["image"]`), or that of
the modules and methods which it hands them on to."""

from __future__ import annotations

import ast
import inspect
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

from torch import nn

from fx_lsp.worker.inference.live import attribute, is_own, parameter_names, source

MAX_DEPTH = 4
"""Calls within calls that are looked into."""


def keys_looked_up(instance: Any, method: str = "forward", depth: int = 0) -> Dict[str, Dict[str, bool]]:
    """Per parameter that is a dict in any case, the keys, and whether it has to have them, those first: it need not
    where the text asks for them, and does so by a method that no tensor has.

    Left out are parameters that the method gives another value, or asks for their class in order to choose; and keys
    that it sets itself before.
    """
    function = source(getattr(type(instance), method, None))
    if function is None or depth > MAX_DEPTH:
        return {}
    names = getattr(inspect.unwrap(getattr(type(instance), method)), "__globals__", {})
    parameters = set(parameter_names(function))
    found: Dict[str, Dict[str, bool]] = {}
    own: Set[Tuple[str, str]] = set()
    tables: Set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            parameters.discard(node.id)
        elif isinstance(node, (ast.If, ast.IfExp)):
            parameters -= asked_for_their_class(node.test)
            _asked_for(node.test, found, names)
        elif isinstance(node, ast.Call):
            tables |= _got(node, found, names)
    subscripts = (node for node in ast.walk(function) if isinstance(node, ast.Subscript))
    for node in sorted(subscripts, key=lambda node: (node.lineno, isinstance(node.ctx, ast.Store), node.col_offset)):
        key = _key(node.slice, names)
        if key is not None and isinstance(node.value, ast.Name):
            if isinstance(node.ctx, ast.Load) and (node.value.id, key) not in own:
                found.setdefault(node.value.id, {}).setdefault(key, True)
            else:
                own.add((node.value.id, key))
    for name, keys in _handed_on(function, instance, parameters, depth):
        for key in keys:
            if (name, key) not in own:
                found.setdefault(name, {}).setdefault(key, keys[key])
    return {
        name: dict(sorted(keys.items(), key=lambda item: not item[1]))
        for name, keys in found.items()
        if name in parameters and (name in tables or any(keys.values()))
    }


def _handed_on(
    function: ast.FunctionDef, instance: Any, parameters: Set[str], depth: int
) -> Iterator[Tuple[str, Dict[str, bool]]]:
    """What parameters have to have where `self.part(batch)` looks it up."""
    for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
        given = [value.id if isinstance(value, ast.Name) else "" for value in call.args]
        if not parameters.intersection(given) or not isinstance(call.func, ast.Attribute):
            continue
        owner = call.func.value
        part = attribute(instance, call.func.attr) if isinstance(owner, ast.Name) and owner.id == "self" else None
        if isinstance(part, nn.Module) and is_own(part):
            target, method = part, "forward"
        elif inspect.ismethod(part) and part.__self__ is instance:
            target, method = instance, call.func.attr
        else:
            continue
        keys, taking = keys_looked_up(target, method, depth + 1), source(getattr(type(target), method))
        taken = parameter_names(taking) if taking is not None else []
        yield from ((name, keys[own]) for name, own in zip(given, taken) if name and own in keys)


def asked_for_their_class(test: ast.AST) -> Set[str]:
    """The names of which a piece of code asks whether they are of a class."""
    calls = (node for node in ast.walk(test) if isinstance(node, ast.Call) and node.args)
    return {
        call.args[0].id
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id == "isinstance" and isinstance(call.args[0], ast.Name)
    }


def _asked_for(test: ast.expr, found: Dict[str, Dict[str, bool]], names: Dict[str, Any]) -> None:
    """`if "mask" in batch`: it need not be there."""
    for node in ast.walk(test):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            key, owner = _key(node.left, names), node.comparators[0]
            if key is not None and isinstance(owner, ast.Name):
                found.setdefault(owner.id, {})[key] = False


def _got(call: ast.Call, found: Dict[str, Dict[str, bool]], names: Dict[str, Any]) -> Set[str]:
    """`batch.get("mask")`: neither need it.  What that is called of."""
    key = _key(call.args[0], names) if call.args else None
    if key is None or not isinstance(call.func, ast.Attribute) or not isinstance(call.func.value, ast.Name):
        return set()
    if call.func.attr not in ("get", "pop"):
        return set()
    needed = call.func.attr == "pop" and len(call.args) == 1
    found.setdefault(call.func.value.id, {}).setdefault(key, needed)
    return {call.func.value.id}


def _key(node: ast.expr, names: Dict[str, Any]) -> Optional[str]:
    """A text, or the name of one: `batch[keys.IMAGE]`."""
    value: Any = node.value if isinstance(node, ast.Constant) else None
    path: List[str] = []
    while isinstance(node, ast.Attribute):
        path, node = [node.attr, *path], node.value
    if isinstance(node, ast.Name):
        value = names.get(node.id)
        for name in path:
            value = getattr(value, "__dict__", {}).get(name)
    return value if isinstance(value, str) else None

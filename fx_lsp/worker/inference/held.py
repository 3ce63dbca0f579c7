"""What names and expressions in the body of a function are, as far as live modules tell it."""

from __future__ import annotations

import ast
from typing import Any, Dict, List, Optional, Tuple

from torch import nn

from fx_lsp.worker.inference.live import integer, part


class Held:
    """Of a method of an instance."""

    def __init__(self, instance: Any) -> None:
        self.live: Dict[str, Any] = {"self": instance}

    def module(self, value: ast.expr) -> Any:
        found = self.value(value)
        return found if isinstance(found, nn.Module) else None

    def value(self, value: ast.expr) -> Any:
        """What names, attributes and constant subscripts of live modules are."""
        if isinstance(value, ast.Name):
            return self.live.get(value.id)
        if isinstance(value, ast.Attribute):
            owner = self.value(value.value)
            if isinstance(owner, nn.Module):
                return owner.__dict__.get(value.attr, part(owner, value.attr))
            return None
        if isinstance(value, ast.Subscript):
            owner, index = self.value(value.value), integer(value.slice)
            if (
                isinstance(owner, (nn.ModuleList, nn.Sequential))
                and index is not None
                and -len(owner) <= index < len(owner)
            ):
                return owner[index]
        return None

    def number(self, value: ast.expr) -> Optional[int]:
        found = value.value if isinstance(value, ast.Constant) else self.value(value)
        return found if type(found) is int else None

    def first_of(self, iterated: ast.expr) -> Any:
        """The first element of `self.layers`, also through `enumerate` and `zip`."""
        if isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Name) and iterated.args:
            firsts = [self.first_of(argument) for argument in iterated.args]
            return {"enumerate": (0, firsts[0]), "zip": tuple(firsts)}.get(iterated.func.id)
        held = self.module(iterated)
        try:
            return next(iter(held)) if isinstance(held, (nn.ModuleList, nn.Sequential)) else None
        except StopIteration:
            return None


def gone_through(target: ast.expr, iterated: ast.expr) -> Tuple[List[ast.expr], List[ast.expr]]:
    """The names that a loop binds, and what each takes its values of, also through `enumerate` and `zip`."""
    if _is_call(iterated, "enumerate") and isinstance(target, ast.Tuple) and len(target.elts) == 2:
        target, iterated = target.elts[1], _arguments(iterated)[0]
    parts = _arguments(iterated) if _is_call(iterated, "zip") else [iterated]
    return target.elts if isinstance(target, ast.Tuple) else [target], parts


def _is_call(value: ast.expr, name: str) -> bool:
    return isinstance(value, ast.Call) and getattr(value.func, "id", "") == name and bool(value.args)


def _arguments(call: ast.expr) -> List[ast.expr]:
    return call.args if isinstance(call, ast.Call) else []

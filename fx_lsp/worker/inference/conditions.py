"""Attributes that a constructor makes under a condition only, and the arguments with which the condition holds."""

from __future__ import annotations

import ast
import re
from typing import Any, Callable, Iterator, List, Mapping, Tuple

from torch import nn

from fx_lsp.worker.inference.attempts import Attempt
from fx_lsp.worker.inference.live import has, parsed, source_text
from fx_lsp.worker.inference.meaning import argument
from fx_lsp.worker.inference.mending import sources
from fx_lsp.worker.inference.options import Option

_ABSENT = re.compile(r"object has no attribute '(\w+)'")


def absent(attempt: Attempt) -> str:
    """The attribute of a module that its own method read in vain; empty where it failed for something else."""
    match = _ABSENT.search(attempt.message)
    owner = next((owner for owner, *_ in attempt.in_modules()), None)
    return match[1] if match is not None and owner is not None and not has(owner, match[1]) else ""


def wanted(
    attempt: Attempt, instance: nn.Module, defaults: Mapping[str, Any], options: Callable[[str], List[Option]]
) -> Iterator[Tuple[str, str]]:
    """Arguments of the constructor, of those with these defaults, and other values for them, of an instance whose
    `forward` read an attribute that it has not, or met nothing that one of them is by default."""
    name = absent(attempt)
    for test, holds in _guards(type(instance), name) if name and not has(instance, name) else ():
        for part in ast.walk(test):
            if isinstance(part, ast.Compare) and isinstance(part.left, ast.Name) and part.left.id in defaults:
                yield from ((part.left.id, text) for text in _compared(part, holds))
        for part in ast.walk(test):
            if isinstance(part, ast.Name) and part.id in defaults:
                now = defaults[part.id]
                if type(now) is bool:
                    yield part.id, str(not now)
                elif now is None and "True" in (values := argument(part.id)):
                    yield part.id, "True"
                elif now is None:
                    yield part.id, values[0]
    if "NoneType" in attempt.message:
        place = attempt.frame_of(lambda owner: owner is instance, ("forward",))
        reached = sources(f"{place[2]} {attempt.last_text()}", [type(instance)]) if place is not None else []
        for part in (one for one in reached if one in defaults and defaults[one] is None):
            yield from ((part, text) for _, text in options(part)[:2])


def _compared(test: ast.Compare, holds: bool) -> List[str]:
    """The text that a comparison wants its left side to be, where it is one text or one of several."""
    same = isinstance(test.ops[0], (ast.Eq, ast.In)) == holds
    right = test.comparators[0]
    parts = right.elts if isinstance(right, (ast.Tuple, ast.List, ast.Set)) else [right]
    return [repr(one.value) for one in parts if same and isinstance(one, ast.Constant) and isinstance(one.value, str)]


def _guards(cls: type, name: str) -> Iterator[Tuple[ast.expr, bool]]:
    """The conditions below which `self.name` is made in a constructor, and whether they have to hold."""
    for owner in cls.__mro__:
        own = "__init__" in vars(owner) and owner is not nn.Module
        statements = parsed(source_text(vars(owner)["__init__"])) if own else []
        for node in ast.walk(ast.Module(statements, [])):
            if isinstance(node, ast.If):
                for body, holds in ((node.body, True), (node.orelse, False)):
                    if any(_makes(statement, name) for statement in body):
                        yield node.test, holds


def _makes(statement: ast.stmt, name: str) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Store)
        for node in ast.walk(statement)
    )

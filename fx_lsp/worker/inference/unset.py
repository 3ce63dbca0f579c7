"""Whether an attribute that a module lacks is a mistake: nobody sets it later, and no class below it has it."""

from __future__ import annotations

import ast
import difflib
import sys
from typing import Iterator, List

from torch import nn

from fx_lsp.worker.inference.attempts import Attempt
from fx_lsp.worker.inference.live import parsed, source_text

_NAMED = frozenset({"setattr", "add_module", "register_module", "register_buffer", "register_parameter", "__setattr__"})
"""What sets an attribute by a name that is computed, perhaps."""
_SIMILAR = 0.75
"""How much of two names is alike where one of them may be meant by the other, as `difflib` measures it."""


def is_unset(attempt: Attempt, name: str, made_up: bool) -> bool:
    """Whether no text of the model's files sets the attribute that was asked for where the run failed.

    A part that the model made is what its code says; `made_up`: unless arguments that were made up decide.  What was
    built for the run alone has no class below it, and a name that is nearly so.
    """
    modules = attempt.in_modules()
    owner, whole = modules[0][0], modules[-1][0]
    made_here = owner is whole or made_up
    if not all(_leaves(text, name, made_here) for text in _texts(modules)):
        return False
    if owner is not whole:
        return True
    has = [*vars(owner), *owner._parameters, *owner._buffers, *owner._modules]
    alike = difflib.get_close_matches(name, [one for one in has if not one.startswith("_")], 1, _SIMILAR)
    return bool(alike) and not type(owner).__subclasses__()


def _texts(modules: List[tuple]) -> Iterator[str]:
    """Of the files of the modules that ran, but for torch's."""
    files = dict.fromkeys(type(owner).__module__ for owner, *_ in modules)
    for name in files:
        if name.partition(".")[0] != nn.__name__.partition(".")[0] and name in sys.modules:
            yield source_text(sys.modules[name])


def _leaves(text: str, name: str, in_constructors: bool) -> bool:
    """Whether a text sets the attribute nowhere; or in constructors alone, unless these count."""
    body = parsed(text.lstrip())
    spared = {id(node) for each in body for node in _of_constructors(each)} if not in_constructors else set()
    return bool(body) and not any(
        _may_set(node, name) for each in body for node in ast.walk(each) if id(node) not in spared
    )


def _of_constructors(tree: ast.AST) -> Iterator[ast.AST]:
    """What they assign to attributes of what they make."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name == "__init__":
            for node in ast.walk(function):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
                    yield node


def _may_set(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == name and not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.ClassDef):
        targets = [getattr(one, "target", None) or getattr(one, "targets", [None])[0] for one in node.body]
        return any(getattr(target, "id", "") == name for target in targets)
    if isinstance(node, ast.Constant):
        return node.value == name
    called = getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""
    return called in _NAMED and not any(isinstance(one, ast.Constant) for one in node.args)

"""Whether an attribute that a module lacks is a mistake: nothing sets it later, and no class below it has it.

What other files of the workspace say of it is not known here: whoever tells of it looks there.
"""

from __future__ import annotations

import ast
import difflib
import re
import sys
from typing import Iterable, Iterator

from torch import nn

from fx_lsp.worker.inference.attempts import Attempt
from fx_lsp.worker.inference.live import parsed, source_text

_SETTERS = {"setattr": 1, "__setattr__": 0, "add_module": 0, "register_module": 0, "register_buffer": 0,
            "register_parameter": 0}  # fmt: skip
"""What sets an attribute whose name it is given, and where."""
_TABLES = frozenset({"__dict__", "vars", "_modules", "_buffers", "_parameters"})
"""Where attributes may be put under any name."""
_ENDING = re.compile(r"(_\w|\d+|s)$")
"""By which names of several things differ: `norm1`, `norm2`."""
_SIMILAR = 0.75
"""How much of two names is alike where one of them may be meant by the other, as `difflib` measures it."""


def is_unset(attempt: Attempt, name: str, made_up: bool) -> bool:
    """Whether nothing in the files of the modules that ran sets the attribute that was asked for where it failed.

    What constructors set does not count for a part that the model made, since they have run; unless arguments were
    `made_up`, which may decide.  What was built for the run alone may be meant for classes below it: there has to be
    another name that is nearly so.
    """
    modules = [owner for owner, *_ in attempt.in_modules()]
    owner, whole = modules[0], modules[-1]
    constructors = owner is whole or made_up
    if any(_sets(text, name, constructors) for text in _texts(modules)):
        return False
    return owner is not whole or (_is_slip(name, owner) and not type(owner).__subclasses__())


def _is_slip(name: str, owner: nn.Module) -> bool:
    """Whether the module has something that is called nearly so, and is not one of several."""
    has = {*vars(owner), *owner._parameters, *owner._buffers, *owner._modules}
    others = [one for one in has if _ENDING.sub("", one) != _ENDING.sub("", name)]
    return bool(difflib.get_close_matches(name, others, 1, _SIMILAR))


def _texts(modules: Iterable[nn.Module]) -> Iterator[str]:
    """Of the files of their classes and of those above these, but for torch's."""
    files = dict.fromkeys(cls.__module__ for owner in modules for cls in type(owner).__mro__)
    for name in files:
        if name.partition(".")[0] not in ("torch", "builtins") and name in sys.modules:
            yield source_text(sys.modules[name])


def _sets(text: str, name: str, constructors: bool) -> bool:
    """Whether a text may set the attribute; what constructors set of what they make counts if it is said to."""
    body = parsed(text.lstrip())
    spared = {id(node) for each in body for node in _of_constructors(each)} if not constructors else set()
    return not body or any(_may_set(node, name) for each in body for node in ast.walk(each) if id(node) not in spared)


def _of_constructors(tree: ast.AST) -> Iterator[ast.AST]:
    """Attributes of what they make."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name == "__init__":
            for node in ast.walk(function):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
                    yield node


def _may_set(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in _TABLES or (node.attr == name and not isinstance(node.ctx, ast.Load))
    if isinstance(node, ast.Name):
        return node.id in _TABLES
    if isinstance(node, ast.Constant):
        return node.value == name
    if isinstance(node, ast.ClassDef):
        return any(_names(one) == name for one in node.body)
    called = getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""
    if not isinstance(node, ast.Call) or called not in _SETTERS:
        return False
    given = node.args[_SETTERS[called] :][:1]
    return not given or not isinstance(given[0], ast.Constant)


def _names(statement: ast.stmt) -> str:
    """What a statement of a class defines, where it is one thing."""
    target = getattr(statement, "target", None) or getattr(statement, "targets", [statement])[0]
    return getattr(target, "id", getattr(target, "name", ""))

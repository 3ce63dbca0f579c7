"""Small questions about live modules and their source."""

from __future__ import annotations

import ast
import functools
import inspect
import re
import sys
from typing import Any, List, Optional

from torch import nn


def attribute(owner: Any, name: str, default: Any = None) -> Any:
    """What the owner has under the name; the default where it has nothing, or where reading it raises anything."""
    try:
        return getattr(owner, name, default)
    except Exception:  # a property of the workspace
        return default


def has(owner: Any, name: str) -> bool:
    """Whether an attribute can be read."""
    return attribute(owner, name, _ABSENT) is not _ABSENT


_ABSENT = object()


def keeps_shape(module: nn.Module) -> bool:
    """Whether what it gives has the shape of what it takes, by the name of its class."""
    name = type(module).__name__
    return bool(
        re.search(r"Norm|Dropout|Drop|Identity|ReLU|GELU|SiLU|Tanh|Sigmoid|Act|Swish|ELU|Softplus|Mish", name)
    ) and not list(child for child in module.children() if isinstance(child, nn.Linear))


def is_own(module: nn.Module) -> bool:
    """Whether it is not torch's."""
    return not type(module).__module__.startswith("torch.")


def integer(node: ast.expr) -> Optional[int]:
    """The number that an expression is; None when it is none."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if type(value) is int else None


def file_of(cls: type) -> str:
    """Where a class is from; empty where that cannot be said."""
    return getattr(sys.modules.get(cls.__module__), "__file__", None) or ""


@functools.cache
def source_text(function: Any) -> str:
    """Its own text; empty when that cannot be had."""
    try:
        return inspect.getsource(inspect.unwrap(function))
    except (OSError, TypeError, ValueError, SyntaxError):
        return ""


@functools.cache
def source(function: Any) -> Optional[ast.FunctionDef]:
    """The definition in its own text; None when that cannot be had."""
    statements = parsed(source_text(function))
    node = statements[0] if statements else None
    return node if isinstance(node, ast.FunctionDef) else None


def parameter_names(function: ast.FunctionDef) -> List[str]:
    """Without `self`, where there is one."""
    static = any(getattr(one, "id", "") == "staticmethod" for one in function.decorator_list)
    arguments = function.args
    positional = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    return positional[0 if static else 1 :] + [one.arg for one in arguments.kwonlyargs]


def parameters_of_call(cls: type, name: str) -> List[inspect.Parameter]:
    """What a method takes when it is called of an instance; raises where that cannot be said."""
    static = isinstance(inspect.getattr_static(cls, name, None), staticmethod)
    return list(inspect.signature(getattr(cls, name)).parameters.values())[0 if static else 1 :]


def parsed(text: str) -> List[ast.stmt]:
    """The statements of a text that may be indented, some of its comments less than others; none where it is no
    Python."""
    indented = text[:1].isspace()
    try:
        body = ast.parse(f"if True:\n{text}" if indented else text).body
    except (SyntaxError, ValueError, RecursionError):
        return []
    return body[0].body if indented and isinstance(body[0], ast.If) else body


def part(owner: nn.Module, name: str) -> Any:
    """A module, parameter or buffer; None when there is none of that name."""
    for parts in (owner._modules, owner._parameters, owner._buffers):
        if name in parts:
            return parts[name]
    return None

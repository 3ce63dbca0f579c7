"""Docstrings of the fields and constants of a module: Python does not keep them, its source does."""

from __future__ import annotations

import ast
import inspect
import itertools
from types import ModuleType

Key = tuple[str, str]
"""Class and field; for a constant of the module the class is empty."""


def field_docs(module: ModuleType) -> dict[Key, str]:
    """The string below each field and each constant, as one paragraph per paragraph."""
    tree = ast.parse(inspect.getsource(module))
    found = _in_body("", tree.body)
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            found |= _in_body(node.name, node.body)
    return found


def class_doc(cls: type[object]) -> str:
    """The docstring of a class; empty where a dataclass made one up."""
    text = inspect.getdoc(cls) or ""
    return "" if text.startswith(f"{cls.__name__}(") else text


def _in_body(owner: str, body: list[ast.stmt]) -> dict[Key, str]:
    found: dict[Key, str] = {}
    for statement, below in itertools.pairwise(body):
        name = _name(statement)
        if name is not None and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            text = below.value.value
            if isinstance(text, str):
                found[owner, name] = inspect.cleandoc(text)
    return found


def _name(statement: ast.stmt) -> str | None:
    target = None
    if isinstance(statement, ast.AnnAssign):
        target = statement.target
    elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    return target.id if isinstance(target, ast.Name) else None

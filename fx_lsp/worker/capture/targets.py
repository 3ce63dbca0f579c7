"""Assignment targets in the syntax tree: what they bind, and how that is read back."""

from __future__ import annotations

import ast
from typing import Any, List, TypeVar

_Node = TypeVar("_Node", bound=Any)


def at(node: _Node, place: Any) -> _Node:
    """As `ast.copy_location`, without its questions: every place here has all four."""
    node.lineno, node.col_offset = place.lineno, place.col_offset
    node.end_lineno, node.end_col_offset = place.end_lineno, place.end_col_offset
    return node


def bound_names(target: ast.AST) -> List[ast.expr]:
    """Names and attributes that an assignment target binds, in source order."""
    if isinstance(target, (ast.Name, ast.Attribute)):
        return [target]
    if isinstance(target, ast.Starred):
        return bound_names(target.value)
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for part in target.elts for name in bound_names(part)]
    return []


def dotted(target: ast.expr) -> str:
    """The target as it is written: `x`, `self.cache`."""
    if isinstance(target, ast.Name):
        return target.id
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        return f"{target.value.id}.{target.attr}"
    return ast.unparse(target)


def load(target: ast.expr) -> ast.expr:
    """An expression that reads a name or attribute back."""
    if isinstance(target, ast.Attribute):
        return at(ast.Attribute(target.value, target.attr, ast.Load()), target)
    assert isinstance(target, ast.Name)
    return at(ast.Name(target.id, ast.Load()), target)

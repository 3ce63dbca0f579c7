"""How large and how deep a tree may be that everything else walks through, with the stack that Python has.

What lies deeper than people write is replaced by a name that nothing defines: whatever needs it cannot be run, and
the rest of the file still counts.
"""

from __future__ import annotations

import ast
import re

MAX_TEXT = 2 << 20
"""Characters of a file; a larger one is data, not a model."""
MAX_TOKENS = 500_000
"""Words and signs of a file, about."""
MAX_DEPTH = 100
"""Copying a node takes six calls for each level, and Python allows a thousand."""

TOO_DEEP = "nested_too_deeply"
_TOKEN = re.compile(r"\w+|[^\w\s]")
_SURELY_FEW = 200_000
"""Characters that are never too many tokens."""


def too_large(text: str) -> bool:
    """Whether parsing the text would take more time and memory than a model is worth."""
    if len(text) <= _SURELY_FEW:
        return False
    return len(text) > MAX_TEXT or sum(1 for _ in _TOKEN.finditer(text)) > MAX_TOKENS


def make_shallow(tree: ast.Module) -> int:
    """Cut off what is deeper than `MAX_DEPTH`; the number of nodes, about."""
    layer: list[ast.AST] = [tree]
    count = 0
    for _ in range(MAX_DEPTH - 1):
        count += len(layer)
        layer = [child for node in layer for child in _children(node)]
        if not layer:
            return count
    for node in layer:
        _cut_below(node)
    return count + len(layer)


def _children(node: ast.AST) -> list[ast.AST]:
    found: list[ast.AST] = []
    for value in node.__dict__.values():
        if isinstance(value, ast.AST):
            found.append(value)
        elif isinstance(value, list):
            found.extend(part for part in value if isinstance(part, ast.AST))  # pyright: ignore[reportUnknownVariableType]
    return found


def _cut_below(node: ast.AST) -> None:
    if isinstance(node, ast.FormattedValue):
        node.format_spec = None
    if isinstance(node, ast.JoinedStr):
        node.values = [part for part in node.values if isinstance(part, ast.Constant)]
        return
    for name, value in ast.iter_fields(node):
        if isinstance(value, list):
            parts: list[object] = value  # pyright: ignore[reportUnknownVariableType]
            setattr(node, name, [_stub(part) for part in parts])
        else:
            setattr(node, name, _stub(value))


def _stub(part: object) -> object:
    """A leaf in place of a node; of one that is neither expression nor statement, in place of what it holds."""
    if isinstance(part, (ast.Constant, ast.Name)):
        return part
    if isinstance(part, ast.expr):
        return ast.copy_location(ast.Name(TOO_DEEP, getattr(part, "ctx", ast.Load())), part)
    if isinstance(part, ast.stmt):
        name = ast.copy_location(ast.Name(TOO_DEEP, ast.Load()), part)
        return ast.copy_location(ast.Expr(name), part)
    if isinstance(part, ast.pattern):
        return ast.copy_location(ast.MatchAs(), part)
    if isinstance(part, ast.AST):
        _cut_below(part)
    return part

"""How a size may be written at a place: as the layers next to it write theirs, or as a number."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from fx_lsp.analysis.mends import _text
from fx_lsp.analysis.mends._parameters import PARAMETERS, SIZES, called
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source

MAX_NEARBY = 3
"""Expressions of which the value is not known."""
MAX_SIZE = 2**40
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv)


def likely(source: Source, call: ast.Call, node: ast.expr, size: int, known: Mapping[str, int]) -> Iterator[str]:
    """What has this size as far as is known, and the parameters that nothing uses."""
    if not _named(node):
        yield str(size)
        return
    near = [(text, _value(one, known)) for text, one in _nearby(source, call) if ast.unparse(one) != ast.unparse(node)]
    yield from dict.fromkeys(text for text, value in near if value == size)
    yield from _unused(source, call)


def possible(source: Source, call: ast.Call, node: ast.expr, size: int, known: Mapping[str, int]) -> Iterator[str]:
    """What may have this size; then the number."""
    if _named(node):
        near = [text for text, one in _nearby(source, call) if _value(one, known) is None]
        yield from list(dict.fromkeys(text for text in near if text != ast.unparse(node)))[:MAX_NEARBY]
        yield str(size)


def _named(node: ast.expr) -> bool:
    return any(isinstance(one, ast.Name) for one in ast.walk(node))


def _unused(source: Source, call: ast.Call) -> Iterator[str]:
    function = innermost(source, call)
    if function is not None:
        used = {one.id for one in ast.walk(function) if isinstance(one, ast.Name)}
        given = [*function.args.args[1:], *function.args.kwonlyargs]
        yield from (one.arg for one in given if one.arg not in used)


def _nearby(source: Source, call: ast.Call) -> list[tuple[str, ast.expr]]:
    """Arguments with a name in them, of the calls in the same function, the nearest first."""
    function = innermost(source, call)
    found: list[tuple[str, ast.expr]] = []
    for other in ast.walk(function) if function is not None else ():
        if isinstance(other, ast.Call):
            found += [(_text.written(source, one), one) for one in _given(other) if _is_size(one)]
    return sorted(found, key=lambda one: _distance(one[1], call))


def _given(call: ast.Call) -> list[ast.expr]:
    """What may be a number of features: of layers only the arguments that are."""
    names = PARAMETERS.get(called(call))
    if names is None:
        return [*call.args, *(one.value for one in call.keywords)]
    named = [*zip(names, call.args, strict=False), *((one.arg, one.value) for one in call.keywords)]
    return [node for name, node in named if name in SIZES]


def _distance(node: ast.expr, call: ast.Call) -> tuple[int, bool]:
    return abs(node.lineno - call.lineno), node.lineno > call.lineno


def _is_size(node: ast.expr) -> bool:
    """Whether it looks like a number: names, with or without arithmetic."""
    if isinstance(node, ast.BinOp):
        sides = (node.left, node.right)
        return isinstance(node.op, _ARITHMETIC) and all(isinstance(one, ast.Constant) or _is_size(one) for one in sides)
    if isinstance(node, ast.Call):
        return called(node) == "len"
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Name)
    return isinstance(node, ast.Name)


def _value(node: ast.expr, known: Mapping[str, int]) -> int | None:
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, known), _value(node.right, known)
        return _computed(node.op, left, right) if left is not None and right is not None else None
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    return known.get(ast.unparse(node))


def _computed(operation: ast.operator, left: int, right: int) -> int | None:
    if isinstance(operation, ast.FloorDiv):
        return left // right if right else None
    if isinstance(operation, ast.Mult):
        return left * right if abs(left) < MAX_SIZE > abs(right) else None
    return left + right if isinstance(operation, ast.Add) else left - right

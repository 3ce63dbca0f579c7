"""Masks that hide the keys after each query, and nothing else, by what is written: runs decide about one size."""

from __future__ import annotations

import ast

from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.model import syntax

_FIRST = {"tril": (0,), "triu": (1, 0)}
"""Diagonals of the triangle that stays, or of the one that is hidden; the other triangle may be turned round later."""
_JOINS = frozenset({"where", "minimum", "maximum", "logical_and", "logical_or", "logical_xor", "mul", "add", "sub",
                    "bitwise_and", "bitwise_or", "cat", "stack", "roll", "flip"})  # fmt: skip
"""Make a mask of several, or move it."""


def is_triangle(flow: Flow, mask: str) -> bool:
    """Whether one triangle is made for the mask, there or where a name in it is bound, and nothing is joined to it."""
    tree = syntax.expression(mask)
    named = {node.attr if isinstance(node, ast.Attribute) else node.id for node in ast.walk(tree)
             if isinstance(node, ast.Attribute | ast.Name)}  # fmt: skip
    places = [*ast.walk(flow.owner or flow.function), *flow.file.top]
    bound: dict[str, dict[int, ast.AST]] = {}
    for place in places:
        if (made := _bound(place)) is not None and made[0] in named:
            bound.setdefault(made[0], {})[id(made[1])] = made[1]
    values = [[*one.values()] for one in bound.values() if any(_triangles(value) for value in one.values())]
    parts: list[ast.AST] = [tree, *(value for some in values for value in some)]
    found = [call for part in parts for call in _triangles(part)]
    return len(found) == 1 and _is_first(found[0]) and not any(map(_joins, parts))


def _triangles(part: ast.AST) -> list[ast.Call]:
    return [node for node in ast.walk(part) if isinstance(node, ast.Call) and _called(node) in _FIRST]


def _called(node: ast.Call) -> str:
    func = node.func
    return (func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")).rstrip("_")


def _is_first(call: ast.Call) -> bool:
    """Whether its diagonal is written, and the one beside which keys are hidden."""
    of_module = isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name) and (
        call.func.value.id in ("torch", "np", "numpy")
    )  # fmt: skip
    given = [*call.args[of_module:], *(one.value for one in call.keywords if one.arg in ("diagonal", "k"))]
    diagonal = given[0] if given else ast.Constant(0)
    return isinstance(diagonal, ast.Constant) and diagonal.value in _FIRST[_called(call)]


def _joins(part: ast.AST) -> bool:
    """Whether something is computed of two things none of which is a number."""
    return any(
        (isinstance(node, ast.BinOp) and not _is_number(node.left) and not _is_number(node.right))
        or (isinstance(node, ast.Call) and _called(node) in _JOINS)
        for node in ast.walk(part)
    )


def _is_number(node: ast.expr) -> bool:
    """`1`, `-1e9`, `float("-inf")`, `-math.inf`."""
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    named = isinstance(node, ast.Attribute) and node.attr in ("inf", "min", "max")
    return isinstance(node, ast.Constant) or named or (isinstance(node, ast.Call) and _called(node) == "float")


def _bound(node: ast.AST) -> tuple[str, ast.AST] | None:
    """The name of a variable, attribute or buffer, and what it is bound to; of a function, and the whole of it."""
    if isinstance(node, ast.FunctionDef):
        return node.name, node
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name | ast.Attribute):
        target = node.targets[0]
        return (target.id if isinstance(target, ast.Name) else target.attr), node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "register_buffer":
        first = node.args[0] if len(node.args) > 1 else None
        if isinstance(first, ast.Constant):
            return str(first.value), node.args[1]
    return None

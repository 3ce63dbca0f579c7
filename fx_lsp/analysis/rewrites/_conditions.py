"""Conditions on what a tensor holds, as one tensor; and numbers that are read out of tensors only to compute with."""

from __future__ import annotations

import ast

from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._write import atom

_READ = frozenset({"float", "int", "bool"})


def condition(flow: Flow, test: ast.expr, at: ast.stmt) -> str:
    """The one truth value of a tensor that a condition asks for; empty where it asks for something else, or is written
    over several lines."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = condition(flow, test.operand, at)
        return f"~{atom(inner)}" if inner else ""
    if isinstance(test, ast.BoolOp):
        parts = [condition(flow, one, at) for one in test.values]
        sign = " & " if isinstance(test.op, ast.And) else " | "
        return sign.join(map(atom, parts)) if all(parts) else ""
    text = flow.file.text(test)
    if "\n" in text or not text:
        return ""
    inner = of_tensor(flow, test, at)
    if inner is not None:
        return condition(flow, inner, at)
    kind = flow.file.output(test)
    if kind is None and isinstance(test, ast.Name):
        kind = flow.tensor(flow.variable(test.id, at))
    if kind is not None:
        return text if (kind.dtype, kind.shape) == ("b8", ()) else ""
    sides = [test.left, *test.comparators] if isinstance(test, ast.Compare) and len(test.ops) == 1 else []
    for side in sides:
        read, part = of_tensor(flow, side, at), flow.file.text(side)
        if read is not None and text.count(part) == 1:
            return text.replace(part, atom(flow.file.text(read)))
    return ""


def of_tensor(flow: Flow, node: ast.expr, at: ast.stmt) -> ast.expr | None:
    """The tensor that a number is read out of, by `.item()` or `float`."""
    if not isinstance(node, ast.Call) or node.keywords:
        return None
    func = node.func
    if isinstance(func, ast.Attribute) and func.attr == "item" and not node.args:
        return func.value
    if not isinstance(func, ast.Name) or func.id not in _READ or len(node.args) != 1:
        return None
    given = node.args[0]
    named = flow.tensor(flow.variable(given.id, at)) if isinstance(given, ast.Name) else None
    return given if named is not None or flow.file.output(given) is not None else None


def operands(flow: Flow, node: ast.expr, whole: bool = False) -> list[bool] | None:
    """Of each place where a number is computed with tensors, there or wherever the variable is read that it is bound
    to, whether the tensor is its other operand; None where it is read for something else.  `whole`: the number is one,
    and may be beside others before."""
    found, node, first = _computed(flow, node, whole)
    if found:
        return [first]
    parent = flow.parents.get(id(node))
    target = parent.targets[0] if isinstance(parent, ast.Assign) and len(parent.targets) == 1 else None
    if not isinstance(target, ast.Name):
        return None
    named = [one for one in ast.walk(flow.function) if isinstance(one, ast.Name) and one.id == target.id]
    others = [one for one in named if one is not target]
    if not others or not all(isinstance(one.ctx, ast.Load) for one in others):
        return None
    read: list[bool] = []
    for one in others:
        places = operands(flow, one, whole)
        if places is None:
            return None
        read += [first and place for place in places]
    return read


def _computed(flow: Flow, node: ast.expr, whole: bool) -> tuple[bool, ast.expr, bool]:
    """Whether it is computed with a tensor; else the number that is made of it there.  And whether the tensor is the
    other operand: there may be numbers between, as in `x / (number + 1e-6)`."""
    parent, first = flow.parents.get(id(node)), True
    while isinstance(parent, ast.BinOp) and not isinstance(parent.op, ast.Pow):
        if flow.file.output(parent) is not None:
            return True, node, first
        first = first and whole and _is_whole(parent)
        node, parent = parent, flow.parents.get(id(parent))
    return False, node, first


def _is_whole(node: ast.BinOp) -> bool:
    """Whether it makes a whole number of one and a constant."""
    constants = [one.value for one in (node.left, node.right) if isinstance(one, ast.Constant)]
    return isinstance(node.op, ast.Add | ast.Sub | ast.Mult) and len(constants) == 1 and type(constants[0]) is int


def statement_of(flow: Flow, node: ast.AST) -> ast.stmt | None:
    """The statement that an expression is part of, if the function was followed through it."""
    inside: ast.AST | None = node
    while inside is not None and not isinstance(inside, ast.stmt):
        inside = flow.parents.get(id(inside))
    return inside if isinstance(inside, ast.stmt) and id(inside) in flow.block else None

"""What stands at a place: the expression, its statement, the function around it."""

from __future__ import annotations

import ast
from itertools import pairwise
from typing import cast

from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.source import Source, walk
from fx_lsp.model.span import Span

_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)
_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def node_at(source: Source, span: Span) -> ast.expr | ast.AugAssign | None:
    """The expression, or the assignment with an operator, at exactly this place."""
    body = source.tree.body if source.tree is not None and span.path == source.path else []
    for statement in (one for one in body if _first_line(one) <= span.line <= (one.end_lineno or 0)):
        for node in walk(statement):
            if isinstance(node, ast.expr | ast.AugAssign) and source.span(node) == span:
                return node
    return None


def _first_line(statement: ast.stmt) -> int:
    return min([statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", []))])


def before(source: Source, node: ast.expr | ast.stmt, name: str, *others: str) -> ast.stmt | None:
    """The statement before which the name may be bound anew, others with it, where it is used again from there on."""
    function = innermost(source, node)
    if function is None:
        return None
    statement = statement_of(source, node)
    if statement is None or any(isinstance(one, _SCOPES) for one in walk(statement)):
        return None
    if columns(source.text).lines[statement.lineno - 1].encode()[: statement.col_offset].strip():
        return None
    loads = [
        one for one in walk(function) if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load)
    ]
    again = sum(one.lineno >= statement.lineno for one in loads) > 1
    return _outside(function, statement, (name, *others)) if again else None


def _outside(function: ast.FunctionDef, statement: ast.stmt, names: tuple[str, ...]) -> ast.stmt | None:
    """The outermost loop around it that leaves the names as they are: changed inside, they would be in each round.

    None where that would change what the loop reads before, or only some of them are bound anew.
    """
    for one in walk(function):
        if not isinstance(one, ast.For | ast.While) or not any(_holds(part, statement) for part in one.body):
            continue
        head = [one.target, one.iter] if isinstance(one, ast.For) else [one.test]
        parts = [part for each in (*head, *one.body) for part in walk(each)
                 if isinstance(part, ast.Name) and part.id in names]  # fmt: skip
        bound = {part.id for part in parts if not isinstance(part.ctx, ast.Load)}
        if not bound:
            start = statement.lineno, statement.col_offset
            return None if any((part.lineno, part.col_offset) < start for part in parts) else one
        if len(bound) < len(set(names)):
            return None
    return statement


def around(source: Source, node: ast.expr) -> ast.AST | None:
    """What the expression is part of."""
    inside = walk(source.tree) if source.tree is not None else ()
    return next((one for one in inside if any(part is node for part in ast.iter_child_nodes(one))), None)


def statement_of(source: Source, node: ast.expr | ast.stmt) -> ast.stmt | None:
    """The simple statement of a function with it."""
    function = innermost(source, node)
    inside = walk(function) if function is not None else ()
    return next((one for one in inside if isinstance(one, _SIMPLE) and _holds(one, node)), None)


def loop_of(source: Source, name: ast.Name) -> ast.For | ast.While | None:
    """The outermost loop around a name that binds it anew: what it is at first is bound before."""
    function = innermost(source, name)
    for one in walk(function) if function is not None else ():
        if isinstance(one, ast.For | ast.While) and _holds(one, name):
            inside = [part for part in walk(one) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
            return one if any(part.id == name.id for part in inside) else None
    return None


def first_bound(function: ast.FunctionDef, name: ast.Name) -> ast.expr | None:
    """What a variable starts with, where several are given theirs at once its own; None for a parameter."""
    found: list[ast.expr] = []
    for one in walk(function):
        if not isinstance(one, ast.Assign) or one.lineno >= name.lineno:
            continue
        target = one.targets[0]
        if isinstance(target, ast.Name) and target.id == name.id:
            found.append(one.value)
        elif isinstance(target, ast.Tuple) and isinstance(one.value, ast.Tuple):
            pairs = zip(target.elts, one.value.elts, strict=False)
            found += [value for part, value in pairs if isinstance(part, ast.Name) and part.id == name.id]
    return min(found, key=lambda one: one.lineno, default=None)


def block_of(function: ast.FunctionDef, statement: ast.stmt) -> list[ast.stmt]:
    """The statements of the same block, that one among them."""
    bodies = [getattr(one, name, None) for one in walk(function) for name in ("body", "orelse", "finalbody")]
    lists = [cast("list[ast.stmt]", body) for body in bodies if isinstance(body, list)]
    found = [body for body in lists if any(one is statement for one in body)]
    return found[0] if found else []


def following(function: ast.FunctionDef, line: int) -> ast.stmt | None:
    """The statement after the one that ends on a line, in the same block."""
    bodies = [getattr(one, name, None) for one in walk(function) for name in ("body", "orelse", "finalbody")]
    both = [pair for body in bodies if isinstance(body, list) for pair in pairwise(cast("list[ast.stmt]", body))]
    return next((after for one, after in both if one.end_lineno == line), None)


def is_text(statement: ast.stmt) -> bool:
    """Whether it is a docstring."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def innermost(source: Source, node: ast.expr | ast.stmt) -> ast.FunctionDef | None:
    """The function around it."""
    around = [one for one in source.every(ast.FunctionDef) if one.lineno <= node.lineno <= (one.end_lineno or 0)]
    return max(around, key=lambda one: one.lineno, default=None)


def _holds(statement: ast.stmt, node: ast.expr | ast.stmt) -> bool:
    return any(one is node for one in walk(statement))

"""What stands at a place: the expression, its statement, the function around it."""

from __future__ import annotations

import ast

from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.source import Source
from fx_lsp.model.span import Span

_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)
_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def node_at(source: Source, span: Span) -> ast.expr | ast.AugAssign | None:
    """The expression, or the assignment with an operator, at exactly this place."""
    for node in ast.walk(source.tree) if source.tree is not None and span.path == source.path else ():
        if isinstance(node, ast.expr | ast.AugAssign) and source.span(node) == span:
            return node
    return None


def before(source: Source, node: ast.expr | ast.stmt, name: str) -> ast.stmt | None:
    """The statement before which the name may be bound anew, where it is used again from there on."""
    function = innermost(source, node)
    if function is None:
        return None
    statement = next((one for one in ast.walk(function) if isinstance(one, _SIMPLE) and _holds(one, node)), None)
    if statement is None or any(isinstance(one, _SCOPES) for one in ast.walk(statement)):
        return None
    if columns(source.text).lines[statement.lineno - 1].encode()[: statement.col_offset].strip():
        return None
    loads = [
        one
        for one in ast.walk(function)
        if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load)
    ]
    return statement if sum(one.lineno >= statement.lineno for one in loads) > 1 else None


def loop_of(source: Source, name: ast.Name) -> ast.For | ast.While | None:
    """The outermost loop around a name that binds it anew: what it is at first is bound before."""
    function = innermost(source, name)
    for one in ast.walk(function) if function is not None else ():
        if isinstance(one, ast.For | ast.While) and _holds(one, name):
            inside = [part for part in ast.walk(one) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
            return one if any(part.id == name.id for part in inside) else None
    return None


def innermost(source: Source, node: ast.expr | ast.stmt) -> ast.FunctionDef | None:
    """The function around it."""
    around = [
        one
        for one in (ast.walk(source.tree) if source.tree is not None else ())
        if isinstance(one, ast.FunctionDef) and one.lineno <= node.lineno <= (one.end_lineno or 0)
    ]
    return max(around, key=lambda one: one.lineno, default=None)


def _holds(statement: ast.stmt, node: ast.expr | ast.stmt) -> bool:
    return any(one is node for one in ast.walk(statement))

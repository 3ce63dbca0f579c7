"""Which numbers of a function are sizes of dims, and where its variables got what they hold."""

from __future__ import annotations

import ast
from functools import lru_cache

from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import Term


@lru_cache(maxsize=8)
def stores(flow: Flow) -> dict[str, list[ast.Name]]:
    """Where a function binds each variable, in order."""
    found: dict[str, list[ast.Name]] = {}
    nodes = [one for one in ast.walk(flow.function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    for one in sorted(nodes, key=lambda one: (one.lineno, one.col_offset)):
        found.setdefault(one.id, []).append(one)
    return found


def bound(flow: Flow, name: str, statement: ast.stmt) -> ast.Name | ast.arg | None:
    """Where a variable got the value that it has before a statement, if that is certain."""
    before = [
        one
        for one in stores(flow).get(name, [])
        if (one.lineno, one.col_offset) < (statement.lineno, statement.col_offset)
    ]
    if not before:
        given = [*flow.function.args.posonlyargs, *flow.function.args.args, *flow.function.args.kwonlyargs]
        return next((one for one in given if one.arg == name), None) if not _loops(flow, statement) else None
    last = statement_of(flow, before[-1])
    block, node = flow.block.get(id(last)) if last is not None else None, statement
    while block is not None and node is not None and flow.block.get(id(node)) is not block:
        if isinstance(node, ast.For | ast.AsyncFor | ast.While) and any(
            node.lineno <= one.lineno <= (node.end_lineno or 0) for one in stores(flow).get(name, [])
        ):
            return None
        node = flow.parents.get(id(node))
    return before[-1] if block is not None and node is not None and isinstance(last, ast.Assign) else None


def _loops(flow: Flow, statement: ast.stmt) -> bool:
    node = flow.parents.get(id(statement))
    while node is not None and not isinstance(node, ast.For | ast.AsyncFor | ast.While):
        node = flow.parents.get(id(node))
    return node is not None


def statement_of(flow: Flow, node: ast.AST) -> ast.stmt | None:
    """The innermost statement that it is part of."""
    found: ast.AST | None = node
    while found is not None and not isinstance(found, ast.stmt):
        found = flow.parents.get(id(found))
    return found


def is_size(flow: Flow, size: Term, statement: ast.stmt) -> bool:
    """Whether a number is the size of a dim: `b` after `b, t, c = x.shape`, `x.size(1)`."""
    if size.op != "name" or not isinstance(size.node, ast.Name):
        return size.node is not None and _is_one(size.node)
    place = bound(flow, size.node.id, statement)
    since = statement_of(flow, place) if isinstance(place, ast.Name) else None
    if not isinstance(since, ast.Assign) or len(since.targets) != 1:
        return False
    target = since.targets[0]
    if isinstance(target, ast.Tuple):
        starred = any(isinstance(one, ast.Starred) for one in target.elts)
        return not starred and place in target.elts and is_shape(since.value)
    return target is place and _is_one(since.value)


def _is_one(node: ast.expr) -> bool:
    """Whether it is `x.shape[0]` or `x.size(0)`."""
    if isinstance(node, ast.Subscript):
        return is_shape(node.value) and not isinstance(node.slice, ast.Slice)
    return isinstance(node, ast.Call) and len(node.args) == 1 and getattr(node.func, "attr", "") == "size"


def is_shape(node: ast.expr) -> bool:
    """Whether it is `x.shape` or `x.size()`."""
    if isinstance(node, ast.Call):
        return getattr(node.func, "attr", "") == "size" and not node.args
    return isinstance(node, ast.Attribute) and node.attr == "shape"

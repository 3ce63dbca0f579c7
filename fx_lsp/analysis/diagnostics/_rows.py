"""Rows of data: a number for each sample, which somebody gives."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.source import Source
from fx_lsp.model.span import Span

_CASTS = frozenset({"to", "float", "long", "int", "double", "half", "cuda", "cpu", "detach", "clone", "type_as"})
_SCALES = frozenset({"arange", "linspace", "logspace", "unsqueeze", "squeeze", "view", "reshape", "flatten", "t"})
"""What makes a row that is meant to meet a column, or could be."""
_REDUCES = frozenset({"sum", "mean", "min", "max", "argmin", "argmax", "amin", "amax", "all", "any", "logsumexp"})
MAX_STEPS = 8


def is_given(source: Source, place: Span, number: int) -> bool:
    """Whether an operand, 0 or 1, of the operation at a place is a variable, or a part of one, that data is bound to:
    neither an attribute of the model nor a scale."""
    nodes = source.every(ast.BinOp) + source.every(ast.Compare) + source.every(ast.Call)
    node = next((one for one in nodes if source.span(one) == place), None)
    operands = _operands(node)
    if node is None or len(operands) != 2 or not isinstance(_root(operands[number]), ast.Name):
        return False
    around = _around(source, node)
    return not _is_along(source, node, around) and not _may_be_meant(around, operands[number], MAX_STEPS)


def _operands(node: ast.expr | None) -> list[ast.expr]:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return [*([] if ast.unparse(node.func.value) == "torch" else [node.func.value]), *node.args]
    return []


def _is_along(source: Source, node: ast.expr, around: ast.AST) -> bool:
    """Whether something is asked along a dim of the pairs, or of what variables hold that are made of them."""
    names, assigned = set[str](), [one for one in ast.walk(around) if isinstance(one, ast.Assign)]

    def has(part: ast.AST) -> bool:
        return any(one is node or (isinstance(one, ast.Name) and one.id in names) for one in ast.walk(part))

    for _ in range(MAX_STEPS):
        made = {one.id for each in assigned if has(each.value) for one in each.targets if isinstance(one, ast.Name)}
        if made <= names:
            break
        names |= made
    calls = (one for one in source.every(ast.Call) if isinstance(one.func, ast.Attribute) and one.func.attr in _REDUCES)
    return any(
        (one.args or any(given.arg in ("dim", "axis") for given in one.keywords)) and has(one.func) for one in calls
    )


def _around(source: Source, node: ast.expr) -> ast.AST:
    """The innermost function, or the file."""
    functions = source.every(ast.FunctionDef) + source.every(ast.AsyncFunctionDef)
    inside = [one for one in functions if one.lineno <= node.lineno <= (one.end_lineno or 0)]
    found = max(inside, key=lambda one: one.lineno, default=None) or source.tree
    assert found is not None
    return found


def _root(node: ast.expr) -> ast.expr:
    """What it is a part of, or is cast from."""
    while True:
        if isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CASTS:
            node = node.func.value
        elif isinstance(node, ast.BinOp):
            numbers = isinstance(node.left, ast.Constant)
            node = node.right if numbers else node.left
        else:
            return node


def _may_be_meant(around: ast.AST, node: ast.expr, steps: int) -> bool:
    """Whether it is an attribute of the model, or of another one that is called, or was made to have its dims; in a
    method also whether it was made there of something else than its arguments."""
    inner = [one for one in ast.walk(node) if isinstance(one, ast.Attribute | ast.Name)]
    if any(isinstance(one, ast.Attribute) and one.attr in _SCALES for one in inner):
        return True
    root = _root(node)
    if not isinstance(root, ast.Name):
        return _is_written(root)
    called = (one.func for one in ast.walk(around) if isinstance(one, ast.Call))
    if root.id == "self" or (
        root is not node and any(isinstance(one, ast.Name) and one.id == root.id for one in called)
    ):
        return True
    given = around.args.args if isinstance(around, ast.FunctionDef) else []
    if given and given[0].arg == "self" and root.id not in {one.arg for one in given}:
        return True
    return steps == 0 or any(_may_be_meant(around, one, steps - 1) for one in _bound(around, root.id))


def _is_written(node: ast.expr) -> bool:
    """Whether its numbers stand there: `torch.tensor([0.1, 0.5, 0.9])`."""
    given = node.args[:1] if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "tensor" else []
    return any(isinstance(one, ast.List | ast.Tuple) for one in given)


def _bound(around: ast.AST, name: str) -> Iterator[ast.expr]:
    """What a variable is bound to, alone; not to itself."""
    for node in ast.walk(around):
        if isinstance(node, ast.Assign) and any(isinstance(one, ast.Name) and one.id == name for one in node.targets):
            root = _root(node.value)
            if not (isinstance(root, ast.Name) and root.id == name):
                yield node.value

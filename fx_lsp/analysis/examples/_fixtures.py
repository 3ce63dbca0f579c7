"""What a test runner gives to the parameters of a test, as plain statements."""

from __future__ import annotations

import ast
import copy

from fx_lsp.analysis.examples._sites import Function


def plain_function(function: Function) -> ast.FunctionDef:
    """A fixture as a function to call: what it yields is what it returns."""
    body = [
        ast.Return(statement.value.value)
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Yield)
        else statement
        for statement in function.body
    ]
    return ast.FunctionDef(function.name, function.args, body, [], None)


def first_parameters(function: Function, name: str) -> ast.stmt | None:
    """The first values of `@pytest.mark.parametrize("a, b", [(1, 2), …])` that name a parameter."""
    for decorator in function.decorator_list:
        if not isinstance(decorator, ast.Call) or len(decorator.args) < 2:
            continue
        if not isinstance(decorator.func, ast.Attribute) or decorator.func.attr != "parametrize":
            continue
        names = _names_in(decorator.args[0])
        values = decorator.args[1]
        if name not in names or not isinstance(values, (ast.List, ast.Tuple)) or not values.elts:
            continue
        first = values.elts[0]
        if isinstance(first, ast.Call) and isinstance(first.func, ast.Attribute) and first.func.attr == "param":
            first = ast.Tuple(first.args, ast.Load()) if len(names) > 1 else first.args[0]
        targets: list[ast.expr] = [ast.Name(each, ast.Store()) for each in names]
        target = targets[0] if len(targets) == 1 else ast.Tuple(targets, ast.Store())
        return ast.Assign([target], copy.deepcopy(first))
    return None


def _names_in(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [part.strip() for part in node.value.split(",") if part.strip()]
    parts = node.elts if isinstance(node, (ast.List, ast.Tuple)) else []
    return [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]

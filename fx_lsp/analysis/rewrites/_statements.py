"""What a statement binds and changes, and which statements are in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from fx_lsp.analysis.names import dotted
from fx_lsp.analysis.source import bound_names

_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.Import, ast.ImportFrom, ast.Assert)
"""Most statements, which have none in them."""


def alone(statement: ast.stmt) -> tuple[ast.expr, ast.expr] | None:
    """Target and value of a statement that binds one variable to one value, changes in place included."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and dotted(statement.targets[0]):
        return statement.targets[0], statement.value
    if isinstance(statement, ast.AnnAssign) and statement.value is not None and dotted(statement.target):
        return statement.target, statement.value
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        return statement.target, statement.value
    call = statement.value if isinstance(statement, ast.Expr) else None
    func = call.func if isinstance(call, ast.Call) else None
    if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and call is not None:
        in_place = func.attr.endswith("_") and not func.attr.endswith("__")
        return (func.value, call) if in_place else None
    return None


def given(statement: ast.If) -> tuple[ast.Name, str] | None:
    """What is asked for and what is changed last by `if mask is not None: mask = g(mask); x = f(x)`."""
    test, body = statement.test, statement.body
    targets = [bound[0] for one in body if (bound := alone(one)) is not None]
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    if statement.orelse or len(names) != len(body) or not isinstance(test, ast.Compare):
        return None
    none = isinstance(test.ops[0], ast.IsNot) and len(test.ops) == 1 and isinstance(test.comparators[0], ast.Constant)
    if not none or not isinstance(test.left, ast.Name) or names[-1] in (test.left.id, *names[:-1]):
        return None
    return test.left, names[-1]


def changed(statement: ast.stmt) -> Iterator[str]:
    """Variables that the statement itself binds, or changes in place."""
    if bound := alone(statement):
        yield dotted(bound[0]) or ""
    yield from bound_names(statement)
    targets = statement.targets if isinstance(statement, ast.Assign | ast.Delete) else []
    for target in [*targets, *([statement.target] if isinstance(statement, ast.AugAssign | ast.AnnAssign) else [])]:
        for inner in ast.walk(target):
            if isinstance(inner, ast.Subscript | ast.Attribute | ast.Name) and (path := dotted(inner)):
                yield path


def bodies(statement: ast.stmt) -> Iterator[Sequence[ast.stmt]]:
    """Bodies of a compound statement."""
    if isinstance(statement, _SIMPLE):
        return
    for name in ("body", "orelse", "finalbody"):
        yield getattr(statement, name, [])
    for inner in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield inner.body

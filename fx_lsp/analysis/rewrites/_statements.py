"""What a statement binds and changes, and which statements are in it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from typing import TypeGuard

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


def given(statement: ast.If, asking: Collection[str] = ()) -> tuple[ast.Name, str] | None:
    """What is asked for and what is changed last by `if mask is not None: mask = g(mask); x = f(x)`; `asking`: names of
    functions that ask the same."""
    asked, body = _asked(statement.test, asking), statement.body
    targets = [bound[0] for one in body if (bound := alone(one)) is not None]
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    if asked is None or statement.orelse or len(names) != len(body) or names[-1] in (asked.id, *names[:-1]):
        return None
    return asked, names[-1]


def _asked(test: ast.expr, asking: Collection[str]) -> ast.Name | None:
    """The variable that a condition says not to be None."""
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id in asking:
        alone = len(test.args) == 1 and not test.keywords and isinstance(test.args[0], ast.Name)
        return test.args[0] if alone and isinstance(test.args[0], ast.Name) else None
    return test.left if is_not_none(test) and isinstance(test.left, ast.Name) else None


def is_not_none(test: ast.expr | None) -> TypeGuard[ast.Compare]:
    """Whether it is `… is not None`."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.IsNot):
        return False
    other = test.comparators[0]
    return isinstance(other, ast.Constant) and other.value is None


def named(statement: ast.stmt | None) -> tuple[str, ast.expr] | None:
    """The one name that an assignment binds, and what to."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    return (target.id, statement.value) if isinstance(target, ast.Name) and isinstance(statement, ast.Assign) else None


def often(node: ast.AST, name: str) -> int:
    """How often a name stands in it, read or bound."""
    return sum(isinstance(one, ast.Name) and one.id == name for one in ast.walk(node))


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


def plain_definition(body: Sequence[ast.stmt], name: str) -> ast.ClassDef | ast.FunctionDef | None:
    """The class or function of that name among statements, where there is one and nothing decorates it."""
    found = [one for one in body if isinstance(one, ast.ClassDef | ast.FunctionDef) and one.name == name]
    return found[0] if len(found) == 1 and not found[0].decorator_list else None


def bodies(statement: ast.stmt) -> Iterator[Sequence[ast.stmt]]:
    """Bodies of a compound statement."""
    if isinstance(statement, _SIMPLE):
        return
    for name in ("body", "orelse", "finalbody"):
        yield getattr(statement, name, [])
    for inner in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield inner.body


def loaded(node: ast.AST) -> Iterator[str]:
    """Names that are read in it, or deleted, as often as they are."""
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Store):
            yield one.id
        elif isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name):
            yield one.target.id


def held(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Variables that functions or classes inside of it read, which may be at any time, or that are not its own."""
    inside = [one for one in ast.walk(function) if one is not function]
    defined = (one for one in inside if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef))
    shared = (one for one in inside if isinstance(one, ast.Global | ast.Nonlocal))
    return {*(name for one in defined for name in loaded(one)), *(name for one in shared for name in one.names)}


def touches(statement: ast.stmt) -> tuple[set[str], set[str]]:
    """Variables that it and the statements in it bind or change, and those that none of them changes in place."""
    inside = [one for one in ast.walk(statement) if isinstance(one, ast.stmt)]
    every = {name for one in inside for name in changed(one)}
    in_place = (one for one in inside if isinstance(one, ast.AugAssign | ast.Expr))
    return every, every - {name for one in in_place for name in changed(one)}

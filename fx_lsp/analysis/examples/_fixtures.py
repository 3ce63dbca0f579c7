"""What a test runner gives to the parameters of a test, as plain statements."""

from __future__ import annotations

import ast
import copy
import os

from fx_lsp.analysis.examples._arguments import is_fixture
from fx_lsp.analysis.examples._bound import Items
from fx_lsp.analysis.examples._configs import hydra_config, omega, written
from fx_lsp.analysis.examples._sites import Function
from fx_lsp.analysis.names import Definition, dotted, resolve
from fx_lsp.analysis.source import Source
from fx_lsp.analysis.workspace import Workspace


def plain_function(function: Function) -> ast.FunctionDef:
    """A fixture as a function to call: what it yields is what it returns."""
    body = [
        ast.Return(statement.value.value)
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Yield)
        else statement
        for statement in function.body
    ]
    arguments = copy.deepcopy(function.args)
    arguments.args = [argument for argument in arguments.args if argument.arg != "request"]
    made = ast.FunctionDef(function.name, arguments, copy.deepcopy(body), [], None)
    first = _first_of_fixture(function)
    return _Given(first).visit(made) if first is not None else made


def _first_of_fixture(function: Function) -> ast.expr | None:
    """The first of `@pytest.fixture(params=[…])`."""
    for decorator in function.decorator_list:
        for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
            if keyword.arg == "params" and isinstance(keyword.value, (ast.List, ast.Tuple)) and keyword.value.elts:
                return keyword.value.elts[0]
    return None


class _Given(ast.NodeTransformer):
    """`request.param` as what it is."""

    def __init__(self, value: ast.expr) -> None:
        self.value = value

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return copy.deepcopy(self.value) if dotted(node) == "request.param" else self.generic_visit(node)


def first_value(function: Function, name: str) -> tuple[ast.expr, Items] | None:
    """The first of `@pytest.mark.parametrize("a, b", [(1, 2), …])` for a parameter, or the default of an option."""
    for decorator in function.decorator_list:
        if not isinstance(decorator, ast.Call):
            continue
        kind = (dotted(decorator.func) or "").rpartition(".")[2]
        if kind == "option" and (default := _option(decorator, name)) is not None:
            return default, ()
        if kind != "parametrize" or len(decorator.args) < 2:
            continue
        names, values = _names_in(decorator.args[0]), decorator.args[1]
        if name not in names or not isinstance(values, (ast.List, ast.Tuple)) or not values.elts:
            continue
        first = values.elts[0]
        if isinstance(first, ast.Call) and (dotted(first.func) or "").rpartition(".")[2] == "param":
            first = ast.Tuple(first.args, ast.Load()) if len(names) > 1 else first.args[0]
        return (first, (names.index(name),)) if len(names) > 1 else (first, ())
    return None


def given_parameters(
    workspace: Workspace, source: Source, function: Function, name: str, imports: dict[str, ast.stmt]
) -> ast.stmt | None:
    """What decorators give to a parameter as an assignment, with the others that are given together with it.

    What the value needs is added to `imports`.
    """
    found = first_value(function, name)
    if found is None:
        first = function.args.args[:1]
        config = hydra_config(workspace, source, function) if first and first[0].arg == name else None
        value = written(config) if config is not None else None
        if value is None:
            return None
        made, needed = omega(value)
        imports.update(needed)
        return ast.Assign([ast.Name(name, ast.Store())], made)
    value, items = found
    names = [name]
    for decorator in function.decorator_list if items else ():
        given = _names_in(decorator.args[0]) if isinstance(decorator, ast.Call) and decorator.args else []
        names = given if name in given else names
    targets: list[ast.expr] = [ast.Name(each, ast.Store()) for each in names]
    target = targets[0] if len(targets) == 1 else ast.Tuple(targets, ast.Store())
    return ast.Assign([target], copy.deepcopy(value))


def find_fixture(workspace: Workspace, path: str, name: str) -> Definition | None:
    """The fixture that a test of the file gets for a parameter: of the file, or of a `conftest.py` above it."""
    files = [path]
    folder = os.path.dirname(path)
    while folder.startswith(workspace.root):
        files.append(os.path.join(folder, "conftest.py"))
        folder = os.path.dirname(folder)
    for file in files:
        found = resolve(workspace, file, name)
        if isinstance(found, Definition) and isinstance(found.node, Function) and is_fixture(found.node):
            return found
    return None


def _option(decorator: ast.Call, name: str) -> ast.expr | None:
    """The default of `@click.option("--name", default=…)`."""
    flags = [flag.value for flag in decorator.args if isinstance(flag, ast.Constant) and isinstance(flag.value, str)]
    named = {flag.lstrip("-").replace("-", "_") for flag in flags}
    return next((k.value for k in decorator.keywords if k.arg == "default"), None) if name in named else None


def _names_in(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [part.strip() for part in node.value.split(",") if part.strip()]
    parts = node.elts if isinstance(node, (ast.List, ast.Tuple)) else []
    return [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]

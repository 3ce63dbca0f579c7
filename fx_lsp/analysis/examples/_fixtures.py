"""What a test runner gives to the parameters of a test, as plain statements."""

from __future__ import annotations

import ast
import copy
import os
from collections.abc import Iterator

from fx_lsp.analysis.examples._arguments import is_fixture, parameters
from fx_lsp.analysis.examples._bound import written_out
from fx_lsp.analysis.examples._configs import hydra_config, omega, written
from fx_lsp.analysis.examples._rows import MAX_ROWS, PARAM, may_be_left_out, tables, value_of
from fx_lsp.analysis.examples._sites import Function, Site
from fx_lsp.analysis.names import Definition, dotted, resolve
from fx_lsp.analysis.source import Source
from fx_lsp.analysis.workspace import Workspace


def rows(workspace: Workspace, site: Site) -> int:
    """How often the call runs, as far as is looked at, each time with the next value of all loops and tests around."""
    loops = [step.owner.iter for step in site.steps if isinstance(step.owner, (ast.For, ast.AsyncFor))]
    loops += [one.iter for node in site.around for one in getattr(node, "generators", ())]
    counts = [len(written_out(one)) for one in loops]
    tests = [one for one in site.owners if isinstance(one, Function)]
    given = [len(values) for one in tests for each in _and_fixtures(workspace, site.source.path, one)
             for _, values in tables(each)]  # fmt: skip
    if max(given, default=1) > 1 and not any(may_be_left_out(one) for one in tests):
        counts += given
    return min(max([1, *counts]), MAX_ROWS)


def _and_fixtures(workspace: Workspace, path: str, function: Function) -> Iterator[Function]:
    """A test's own, in which those of fixtures are not looked for."""
    yield function
    for argument in parameters(function) if function.name.startswith("test") else ():
        found = find_fixture(workspace, path, argument.arg)
        if found is not None and isinstance(found.node, Function):
            yield found.node


def plain_function(function: Function, row: int = 0) -> ast.FunctionDef:
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
    given = value_of(function, PARAM, row)
    return _Given(given[0]).visit(made) if given is not None else made


class _Given(ast.NodeTransformer):
    """`request.param` as what it is."""

    def __init__(self, value: ast.expr) -> None:
        self.value = value

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return copy.deepcopy(self.value) if dotted(node) == PARAM else self.generic_visit(node)


def given_parameters(
    workspace: Workspace, source: Source, function: Function, name: str, imports: dict[str, ast.stmt], row: int = 0
) -> ast.stmt | None:
    """What decorators give to a parameter as an assignment, with the others that are given together with it.

    What the value needs is added to `imports`.
    """
    found = value_of(function, name, row)
    if found is None:
        first = function.args.args[:1]
        config = hydra_config(workspace, source, function) if first and first[0].arg == name else None
        value = written(config) if config is not None else None
        if value is None:
            return None
        made, needed = omega(value)
        imports.update(needed)
        return ast.Assign([ast.Name(name, ast.Store())], made)
    value, names, _ = found
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

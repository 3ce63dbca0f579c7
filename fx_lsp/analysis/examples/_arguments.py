"""Parameters of functions, and the calls in the same file that give them values."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.examples._sites import Function, Site, sites_of
from fx_lsp.analysis.names import dotted
from fx_lsp.analysis.source import Source


def parameters(function: Function) -> list[ast.arg]:
    """All parameters but `*args` and `**kwargs`, in order."""
    arguments = function.args
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def defaults(function: Function) -> dict[str, ast.expr]:
    """Default values by parameter."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    found: dict[str, ast.expr] = {}
    if arguments.defaults:
        last = positional[-len(arguments.defaults) :]
        found.update(zip((argument.arg for argument in last), arguments.defaults, strict=True))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is not None:
            found[argument.arg] = default
    return found


def accepted_defaults(function: Function) -> dict[str, ast.expr]:
    """Default values that the function works with: none that its body asserts not to have."""
    tests = [_needed(statement) for statement in function.body]
    refused = {ast.unparse(test) for test in tests if test is not None}
    return {name: value for name, value in defaults(function).items() if name not in refused or not _is_none(value)}


def _needed(statement: ast.stmt) -> ast.expr | None:
    """What has to be there, or the function ends: `assert x`, `assert exists(x)`, `if x is None: raise`."""
    if isinstance(statement, ast.Assert):
        test = statement.test
        if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.IsNot) and _is_none(test.comparators[0]):
            return test.left
        return test.args[0] if isinstance(test, ast.Call) and len(test.args) == 1 and not test.keywords else test
    if not isinstance(statement, ast.If) or not isinstance(statement.body[0], ast.Raise):
        return None
    test = statement.test
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    none = isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is) and _is_none(test.comparators[0])
    return test.left if isinstance(test, ast.Compare) and none else None


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def required(function: Function, method: bool = True) -> list[ast.arg]:
    """Parameters without a default; the first one of a method is not counted."""
    given = defaults(function)
    arguments = parameters(function)
    return [argument for argument in arguments[1 if method else 0 :] if argument.arg not in given]


def calls_of(
    source: Source, function: Function, owner: ast.ClassDef | None = None
) -> Iterator[tuple[Site, dict[str, ast.expr]]]:
    """Calls in the file that reach the function by its name, with what each parameter gets; defaults included."""
    names = [argument.arg for argument in parameters(function)][1 if owner is not None else 0 :]
    for site in _reaching(source, function, owner):
        if function in site.owners:
            continue
        positional = site.call.args
        if any(isinstance(value, ast.Starred) for value in positional) or len(positional) > len(names):
            continue
        if any(keyword.arg is None for keyword in site.call.keywords):
            continue
        given = dict(zip(names, positional, strict=False))
        given.update({keyword.arg: keyword.value for keyword in site.call.keywords if keyword.arg is not None})
        yield site, given


def _reaching(source: Source, function: Function, owner: ast.ClassDef | None) -> Iterator[Site]:
    """Calls by name; of a method those in its class, then those of a variable that an instance is bound to."""
    if owner is None or function.name == "__init__":
        yield from sites_of(source, owner.name if owner is not None else function.name)
        return
    yield from (site for site in sites_of(source, f"self.{function.name}") if owner in site.owners)
    for name in dict.fromkeys(_bound_to(source, owner)):
        yield from sites_of(source, f"{name}.{function.name}")


def _bound_to(source: Source, owner: ast.ClassDef) -> Iterator[str]:
    """Names of variables: `name = Owner(…)`."""
    for made in sites_of(source, owner.name):
        step = made.steps[-1]
        statement = step.body[step.index]
        for target in statement.targets if isinstance(statement, ast.Assign) and statement.value is made.call else ():
            if (name := dotted(target)) is not None:
                yield name


def is_fixture(function: Function) -> bool:
    """Whether it is decorated as a test fixture."""
    decorators = (d.func if isinstance(d, ast.Call) else d for d in function.decorator_list)
    return any((dotted(decorator) or "").rpartition(".")[2] == "fixture" for decorator in decorators)

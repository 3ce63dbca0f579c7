"""The values with which a test runner calls a test, or makes a fixture, time and again."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.examples._bound import Items, in_row, written_out
from fx_lsp.analysis.examples._sites import Function, Owner, Site
from fx_lsp.analysis.names import dotted

MAX_ROWS = 4
"""Values of one parameter that are looked at."""
PARAM = "request.param"
"""What a fixture with values of its own calls them."""
_LEFT_OUT = ("xfail", "skip", "skipif")
"""Marks of a value that is not to work, or not everywhere."""
_LEAVING = frozenset({"skip", "skipTest", "xfail", "importorskip"})
"""What ends a test."""
_FAILING = frozenset({"raises", "assertRaises", "assertRaisesRegex", "xfail", "expectedFailure"})
"""What says of a test, or of what stands in it, that it raises an error."""


def tables(function: Function) -> Iterator[tuple[list[str], list[ast.expr]]]:
    """Names and their values, of `@pytest.mark.parametrize("a, b", [(1, 2), …])`, `@pytest.fixture(params=[…])` and
    of an option with a default."""
    for decorator in function.decorator_list:
        if not isinstance(decorator, ast.Call):
            continue
        kind = _last(decorator.func)
        named = {keyword.arg: keyword.value for keyword in decorator.keywords}
        if kind == "option" and "default" in named:
            yield [flag.lstrip("-").replace("-", "_") for flag in _strings(decorator.args)], [named["default"]]
        elif kind == "parametrize":
            given = [*decorator.args, *(named[name] for name in ("argnames", "argvalues") if name in named)]
            if len(given) > 1:
                names = _names_in(given[0])
                yield names, _rows(given[1], len(names) > 1)
        elif kind == "fixture" and "params" in named:
            yield [PARAM], _rows(named["params"], False)


def value_of(function: Function, name: str, row: int = 0) -> tuple[ast.expr, list[str], Items] | None:
    """What a decorator gives to a parameter in a row, with the names that are given together and which item is its
    own; the last value where there are fewer."""
    for names, values in tables(function):
        if name in names and values:
            together = len(names) > 1 and isinstance(values[0], (ast.Tuple, ast.List))
            value = values[in_row(values, row)]
            return (value, names, (names.index(name),)) if together else (value, [name], ())
    return None


def may_be_left_out(function: Function) -> bool:
    """Whether a test says in its body with which values it is not run."""
    return any(_last(one.func) in _LEAVING for one in ast.walk(function) if isinstance(one, ast.Call))


def is_to_fail(site: Site, row: int = 0) -> bool:
    """Whether a test says that the call raises an error."""
    said: list[ast.expr] = []
    for step in site.steps:
        if isinstance(step.owner, (ast.With, ast.AsyncWith)):
            said += [item.context_expr for item in step.owner.items]
        elif isinstance(step.owner, Owner):
            said += step.owner.decorator_list
    return any(_called(one, site, row) in _FAILING for one in said)


def _called(node: ast.expr, site: Site, row: int) -> str:
    """The last name of what is called, or of what a parameter of a test calls in that row."""
    if isinstance(node, ast.Name):
        given = (value_of(one, node.id, row) for one in site.owners if isinstance(one, Function))
        for value, _, items in (one for one in given if one is not None):
            for item in items:
                value = value.elts[item] if isinstance(value, (ast.Tuple, ast.List)) else value
            node = value
    return _last(node.func if isinstance(node, ast.Call) else node)


def _last(node: ast.expr) -> str:
    return (dotted(node) or "").rpartition(".")[2]


def _rows(values: ast.expr, several: bool) -> list[ast.expr]:
    """The values that are written one by one."""
    found: list[ast.expr] = []
    for value in written_out(values):
        if isinstance(value, ast.Call) and _last(value.func) == "param":
            marks = " ".join(ast.unparse(keyword.value) for keyword in value.keywords if keyword.arg == "marks")
            if not value.args or any(f".{mark}" in marks for mark in _LEFT_OUT):
                continue
            value = ast.Tuple(value.args, ast.Load()) if several else value.args[0]
        found.append(value)
    return found


def _names_in(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [part.strip() for part in node.value.split(",") if part.strip()]
    return _strings(written_out(node))


def _strings(nodes: list[ast.expr]) -> list[str]:
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]

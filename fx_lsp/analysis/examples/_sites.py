"""Calls of a file, each with the blocks around it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from fx_lsp.analysis.names import dotted
from fx_lsp.analysis.source import Source, is_main_guard

Function = ast.FunctionDef | ast.AsyncFunctionDef
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
Owner = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, eq=False)
class Step:
    """A block of statements, and which of them leads on to the call."""

    owner: ast.AST
    """What the block belongs to: the module, a function, a class or a compound statement."""
    body: list[ast.stmt]
    index: int


@dataclass(frozen=True, eq=False)
class Site:
    """One call, and the way to it from the top of the file."""

    source: Source
    steps: tuple[Step, ...]
    call: ast.Call
    around: tuple[ast.expr, ...]
    """Lambdas and comprehensions around it inside its statement, outermost first."""

    @property
    def owners(self) -> tuple[Owner, ...]:
        """Classes and functions around it, outermost first."""
        return tuple(step.owner for step in self.steps if isinstance(step.owner, Owner))

    @property
    def in_main(self) -> bool:
        """Whether it is below `if __name__ == "__main__":`."""
        return any(isinstance(step.owner, ast.If) and is_main_guard(step.owner) for step in self.steps)

    @property
    def ought_to_fail(self) -> bool:
        """Whether it is below `with pytest.raises(ValueError):`."""
        withs = [step.owner for step in self.steps if isinstance(step.owner, ast.With | ast.AsyncWith)]
        calls = [item.context_expr for one in withs for item in one.items if isinstance(item.context_expr, ast.Call)]
        names = [(dotted(one.func) or "").rpartition(".")[2] for one in calls]
        return any(name == "raises" or name.startswith("assertRaises") for name in names)


def sites(source: Source) -> tuple[Site, ...]:
    """Every call of a file, in the order of its statements; kept as long as the source is."""
    kept: dict[str, tuple[Site, ...]] = source.__dict__
    if "sites" not in kept:
        found = _in_block(source, source.tree, source.tree.body, ()) if source.tree is not None else ()
        kept["sites"] = tuple(found)
    return kept["sites"]


def sites_of(source: Source, name: str) -> list[Site]:
    """The calls of a dotted name, in order; kept as long as the source is."""
    kept: dict[str, dict[str, list[Site]]] = source.__dict__
    if "sites_by_name" not in kept:
        found: dict[str, list[Site]] = {}
        for site in sites(source):
            found.setdefault(dotted(site.call.func) or "", []).append(site)
        kept["sites_by_name"] = found
    return kept["sites_by_name"].get(name, [])


def _in_block(source: Source, owner: ast.AST, body: list[ast.stmt], above: tuple[Step, ...]) -> Iterator[Site]:
    for index, statement in enumerate(body):
        steps = (*above, Step(owner, body, index))
        for _, value in ast.iter_fields(statement):
            for part in _items(value):
                if isinstance(part, (ast.expr, ast.withitem, ast.arguments, ast.keyword)):
                    yield from _in_expression(source, steps, part, ())
        for inner_owner, inner in inner_blocks(statement):
            yield from _in_block(source, inner_owner, inner, steps)


def inner_blocks(statement: ast.stmt) -> Iterator[tuple[ast.AST, list[ast.stmt]]]:
    """The blocks of a compound statement, each with what it belongs to."""
    for field in ("body", "handlers", "orelse", "finalbody", "cases"):
        for part in (value := getattr(statement, field, [])):
            if isinstance(part, (ast.ExceptHandler, ast.match_case)):
                yield part, part.body
            else:
                yield statement, value
                break


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownVariableType]


def _in_expression(
    source: Source, steps: tuple[Step, ...], node: ast.AST, around: tuple[ast.expr, ...]
) -> Iterator[Site]:
    stack = [(node, around)]  # not recursive: a sum of a thousand terms is a thousand levels deep
    while stack:
        node, around = stack.pop()
        if isinstance(node, ast.Call):
            yield Site(source, steps, node, around)
        if isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            around = (*around, node)
        stack.extend((child, around) for child in reversed(list(ast.iter_child_nodes(node))))

"""What the names of a block are bound to."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fx_lsp.analysis.examples._sites import Function, Owner
from fx_lsp.analysis.names import dotted
from fx_lsp.analysis.source import Source, blocks

Items = tuple[int, ...]
"""Which item of a value, which item of that, and so on; empty for the value itself."""


@dataclass(frozen=True, eq=False)
class Bound:
    """What a name was bound to: an expression or an item of it, or a function or an import that stands there."""

    value: ast.expr | ast.stmt
    line: int
    items: Items = ()


@dataclass(frozen=True, eq=False)
class Place:
    """Where an expression stands: its file, and the classes and functions around it."""

    source: Source
    owners: tuple[Owner, ...] = ()
    line: int = 0
    """Only what is bound above this line counts, if anything is; 0 for the end."""

    @property
    def around(self) -> tuple[str, ast.ClassDef] | None:
        """The innermost class around it, with its qualified name."""
        found = [owner for owner in self.owners if isinstance(owner, ast.ClassDef)]
        return (".".join(owner.name for owner in found), found[-1]) if found else None


def written_out(values: ast.expr) -> list[ast.expr]:
    """The items of what a loop goes through, or a test is given; none where they are not written one by one."""
    return values.elts if isinstance(values, (ast.List, ast.Tuple)) else []


def in_row(values: Sequence[ast.expr], row: int) -> int:
    """Which of the values is that of the row: the last one where there are fewer, the first where none is known."""
    return max(min(row, len(values) - 1), 0)


def bindings(body: Sequence[ast.stmt], row: int = 0) -> dict[str, list[Bound]]:
    """Per name, what the statements of a block bind it to, in order; a loop's variable in that row of its values."""
    found: dict[str, list[Bound]] = {}
    for name, bound in _all_bound(body, row):
        found.setdefault(name, []).append(bound)
    return found


def nearest_first(bound: list[Bound], line: int) -> list[Bound]:
    """Those above a line, the last one first, and then those below it."""
    above = [candidate for candidate in bound if line == 0 or candidate.line <= line]
    return [*reversed(above), *(candidate for candidate in bound if 0 < line < candidate.line)]


def own_statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a block and of the blocks inside it, but not of functions and classes defined there."""
    for statement in body:
        yield statement
        yield from own_statements(blocks(statement))


def returned(function: Function) -> Iterator[ast.expr]:
    """What a function returns or yields."""
    for statement in own_statements(function.body):
        if isinstance(statement, ast.Return) and statement.value is not None:
            yield statement.value
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Yield) and statement.value.value:
            yield statement.value.value


def attribute_values(method: Function, attribute: str) -> Iterator[ast.expr]:
    """What a method binds an attribute of its instance to."""
    for statement in own_statements(method.body):
        for target in statement.targets if isinstance(statement, ast.Assign) else ():
            for part, value in _pairs(target, statement.value) if isinstance(statement, ast.Assign) else ():
                if dotted(part) in (f"self.{attribute}", f"cls.{attribute}"):
                    yield value


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """`a, b = c, d` binds `a` to `c`."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        yield from zip(target.elts, value.elts, strict=True)
    else:
        yield target, value


def _all_bound(body: Sequence[ast.stmt], row: int) -> Iterator[tuple[str, Bound]]:
    for statement in own_statements(body):
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                yield from _matched(target, statement.value, statement.lineno)
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            yield from _matched(statement.target, statement.value, statement.lineno)
        elif isinstance(statement, (ast.For, ast.AsyncFor)):
            yield from _matched(
                statement.target, statement.iter, statement.lineno, (in_row(written_out(statement.iter), row),)
            )
        elif isinstance(statement, Function):
            yield statement.name, Bound(statement, statement.lineno)
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            for alias in statement.names:
                yield alias.asname or alias.name.partition(".")[0], Bound(statement, statement.lineno)


def _matched(target: ast.expr, value: ast.expr, line: int, items: Items = ()) -> Iterator[tuple[str, Bound]]:
    if isinstance(target, ast.Name):
        yield target.id, Bound(value, line, items)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for item, part in enumerate(target.elts):
            yield from _matched(part, value, line, (*items, item))

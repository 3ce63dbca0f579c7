"""Branches on what a tensor holds, each side of which makes one value."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fx_lsp.analysis.actions import Changes
from fx_lsp.analysis.rewrites._conditions import condition, statement_of
from fx_lsp.analysis.rewrites._file import File
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._statements import named
from fx_lsp.analysis.rewrites._write import Unwritable, indent, newline, removed


@dataclass(frozen=True)
class Branch:
    """An `if`, with or without `else`, or an expression with both."""

    node: ast.If | ast.IfExp
    statement: ast.stmt
    """That it is, or is part of."""
    condition: str
    """As a tensor."""
    sides: tuple[ast.expr, ast.expr]
    """What there is where it holds, and where not: the variable itself where nothing is said."""
    target: str = ""
    """What is bound to it; empty where it is returned."""
    further: ast.stmt | None = None
    """The `return` after it, which is its other side."""

    def replaced(self, file: File, text: str) -> Changes:
        """The edit that puts one expression in its place.

        Raises:
            Unwritable: it shares a line with something else.
        """
        if isinstance(self.node, ast.IfExp):
            inside = f"({text})" if not text.endswith(")") else text
            return ((file.source.span(self.node), inside),)
        if not file.text(self.node).startswith("if"):
            raise Unwritable
        before = indent(file, self.node)
        span, kept = removed(file, self.node)
        line = f"{before}{f'{self.target} = ' if self.target else 'return '}{text}{newline(file)}"
        return ((span, kept + line), *((removed(file, self.further),) if self.further is not None else ()))


def branches(flow: Flow) -> Iterator[Branch]:
    """All in a function whose condition is one truth value of a tensor."""
    for node in ast.walk(flow.function):
        statement = statement_of(flow, node) if isinstance(node, ast.If | ast.IfExp) else None
        if statement is None or not isinstance(node, ast.If | ast.IfExp):
            continue
        asked = condition(flow, node.test, statement)
        if asked and isinstance(node, ast.IfExp):
            yield Branch(node, statement, asked, (node.body, node.orelse))
        elif asked and isinstance(node, ast.If):
            yield from _statement(flow, node, asked)


def _statement(flow: Flow, node: ast.If, asked: str) -> Iterator[Branch]:
    first, second = _alone(node.body), _alone(node.orelse)
    if isinstance(first, ast.Return) and first.value is not None:
        further = None if node.orelse else _next(flow.block[id(node)], node)
        other = second if node.orelse else further
        if isinstance(other, ast.Return) and other.value is not None:
            yield Branch(node, node, asked, (first.value, other.value), further=further)
        return
    one, two = named(first), named(second)
    if one is not None and not node.orelse:
        yield Branch(node, node, asked, (one[1], ast.Name(one[0], ast.Load())), one[0])
    elif one is not None and two is not None and one[0] == two[0]:
        yield Branch(node, node, asked, (one[1], two[1]), one[0])


def _alone(body: Sequence[ast.stmt]) -> ast.stmt | None:
    return body[0] if len(body) == 1 else None


def _next(block: Sequence[ast.stmt], node: ast.stmt) -> ast.stmt | None:
    place = next(number for number, one in enumerate(block) if one is node)
    return block[place + 1] if place + 1 < len(block) else None


def texts(file: File, branch: Branch) -> tuple[str, str]:
    """Both sides as they are written.

    Raises:
        Unwritable: over several lines.
    """
    one, other = (file.text(side) or ast.unparse(side) for side in branch.sides)
    if "\n" in one or "\n" in other:
        raise Unwritable
    return one, other

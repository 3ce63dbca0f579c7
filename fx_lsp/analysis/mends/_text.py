"""Edits of expressions, byte for byte: what is not changed stays as it is written."""

from __future__ import annotations

import ast
import re

from fx_lsp.analysis.actions import Changes, Edit
from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.mends._parameters import arguments
from fx_lsp.analysis.source import Source
from fx_lsp.model.span import Span

MAX_TITLE = 60
"""Characters of code in the title of an edit."""
_COMMENT = re.compile(r"#[^\r\n]*")
_ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.List, ast.Dict, ast.Set, ast.ListComp)
"""Expressions that a method may be called on as they are."""


def written(source: Source, node: ast.expr | ast.keyword) -> str:
    """The text of an expression, without parentheses around it, or of an argument with its name."""
    start, end = _offsets(source, node)
    return source.text[start:end]


def statement(source: Source, node: ast.stmt) -> str:
    """The text of a statement, as its first line is indented."""
    start, end = _offsets(source, node)
    return source.text[start:end]


def alone(source: Source, node: ast.expr) -> str:
    """The text of an expression as something that a method may be called on."""
    return f"({written(source, node)})" if not isinstance(node, _ATOMS) else written(source, node)


def title(text: str) -> str:
    """Code for the title of an edit, in one line."""
    line = " ".join(text.split())
    return f"`{line}`" if len(line) <= MAX_TITLE else f"`…{line[1 - MAX_TITLE :]}`"


def after(source: Source, node: ast.expr, suffix: str, only: bool = False) -> Changes:
    """The expression with `.T` or the like after it; `only`: it is all that a call is given."""
    span = source.span(node)
    first = Span(source.path, span.line, span.column, span.line, span.column)
    last = Span(source.path, span.end_line, span.end_column, span.end_line, span.end_column)
    if isinstance(node, _ATOMS):
        return ((last, suffix),)
    start, end = _offsets(source, node)
    closing = len(source.text[end:]) - len(source.text[end:].lstrip())
    enclosed = source.text[:start].rstrip().endswith("(") and source.text[end:].lstrip().startswith(")")
    if enclosed and not only and not closing:
        behind = Span(source.path, span.end_line, span.end_column + 1, span.end_line, span.end_column + 1)
        return ((behind, suffix),)
    return ((first, "("), (last, f"){suffix}"))


def suffixed(source: Source, node: ast.expr, suffix: str) -> Edit:
    """The same as an edit, with what it is then as its title."""
    return Edit(f"Use {title(alone(source, node) + suffix)}", source.path, after(source, node, suffix))


def instead(source: Source, node: ast.expr | ast.stmt | ast.keyword, text: str) -> Changes:
    """Something else in place of an expression."""
    return ((source.span(node), text),)


def added(source: Source, call: ast.Call, text: str) -> Changes | None:
    """One more argument, behind the parentheses of the last one; None for a generator, which then needs its own."""
    given = arguments(call)
    if len(given) == 1 and isinstance(given[0], ast.GeneratorExp):
        return None
    span = source.span(call)
    closing = span.end_line, span.end_column - 1
    last = max(given, key=lambda one: (one.end_lineno or 0, one.end_col_offset or 0), default=None)
    if last is None:
        return ((Span(source.path, *closing, *closing), text),)
    start = source.span(last)
    between = source.text[_offsets(source, last)[1] : _offsets(source, call)[1] - 1]
    code = _COMMENT.sub(lambda found: " " * len(found[0]), between)
    place = code.rfind(")") + 1
    changed = f"{between[:place]}, {text}{between[place:]}"
    return ((Span(source.path, start.end_line, start.end_column, *closing), changed),)


def before(source: Source, statement: ast.stmt, text: str) -> Changes:
    """A statement more, on a line of its own."""
    places = columns(source.text)
    line = places.lines[statement.lineno - 1]
    indent = line[: len(line) - len(line.lstrip())]
    return ((Span(source.path, statement.lineno, 0, statement.lineno, 0), f"{indent}{text}{places.newline}"),)


def below(source: Source, statement: ast.stmt, text: str) -> Changes:
    """A statement more, after another one and with its indent."""
    places, end = columns(source.text), statement.end_lineno or statement.lineno
    line, tail = places.lines[statement.lineno - 1], len(places.lines[end - 1].encode())
    indent = line[: len(line) - len(line.lstrip())]
    return ((Span(source.path, end, tail, end, tail), f"{places.newline}{indent}{text}"),)


def _offsets(source: Source, node: ast.expr | ast.stmt | ast.keyword) -> tuple[int, int]:
    return columns(source.text).offsets(source.span(node))

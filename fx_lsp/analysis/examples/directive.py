"""Comments `# fx: GPT(GPTConfig())(i64[B:4, T:64])` above a class or function, on its line, or on its `def forward`.

Statements may come before the call: `# fx: c = GPTConfig(); GPT(c)(i64[B, c.context])`.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from fx_lsp.analysis.config import Config
from fx_lsp.analysis.examples import Finder, Found
from fx_lsp.analysis.mistakes import find_mistake, knows
from fx_lsp.analysis.snapshot import Problem
from fx_lsp.analysis.source import Source, blocks, parse_small
from fx_lsp.analysis.workspace import Workspace
from fx_lsp.model.example import Example
from fx_lsp.model.span import Span

_MARK = re.compile(r"#\s*fx:(?!\s*ignore\s*(?:\[|#|$))\s*")
"""Not that of a diagnostic which is not wanted."""
MAX_DIRECTIVES = 300
"""Of one file."""


@dataclass(frozen=True)
class _Header:
    """The lines of a `class` or `def` statement above its body, decorators included."""

    target: str
    start: int
    end: int
    body_end: int
    is_class: bool


def find(workspace: Workspace, config: Config, path: str) -> tuple[Found, ...]:
    """The directives of a file in order; a problem for each that is wrong."""
    source = workspace.source(path)
    if source is None or source.tree is None or _MARK.search(source.text) is None:
        return ()
    known = knows(source, config.before(path, ""))
    headers = list(_headers(source.tree.body))
    found: list[Found] = []
    for line, column, text in islice(_comments(source), MAX_DIRECTIVES):
        own, call = _split(text)
        before = config.before(path, own)
        if own and (error := parse_small(own).error) is not None:
            message = f"not a Python statement: {error.message}"
            found.append(Problem(_span(source, line, column, column + len(own)), "error", "bad-directive", message))
            continue
        column += len(text) - len(call)
        mistake = find_mistake(call, knows(source, before) if own else known)
        if mistake is not None:
            span = _span(source, line, column + mistake.column, column + mistake.end_column)
            found.append(Problem(span, "error", "bad-directive", mistake.message))
            continue
        target = _target(source, headers, line) or _root(call, headers)
        span = _span(source, line, column, column + len(call))
        found.append(Example(path, call, "directive", before, target, span, tuple(config.dims.items())))
    return tuple(found)


def _comments(source: Source) -> Iterator[tuple[int, int, str]]:
    """Line, column in characters and text of each directive; a string that looks like one does not count."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
            if token.type == tokenize.COMMENT and (match := _MARK.match(token.string)):
                yield token.start[0], token.start[1] + match.end(), token.string[match.end() :].rstrip()
    except (tokenize.TokenError, SyntaxError):
        return  # the parser took the text, so what the tokenizer dislikes lies after the last comment


def _split(text: str) -> tuple[str, str]:
    """The statements before the call, and the call: what comes after the last `;` that is not in a string."""
    place = -1
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline) if ";" in text else ():
            place = token.start[1] if token.type == tokenize.OP and token.string == ";" else place
    except (tokenize.TokenError, SyntaxError):  # then the call has a mistake, which is said
        pass
    call = text[place + 1 :].lstrip()
    return (text[:place].strip() if place >= 0 else ""), call


def _span(source: Source, line: int, column: int, end_column: int) -> Span:
    text = source.lines[line - 1]
    start, end = (len(text[:place].encode()) for place in (column, end_column))
    return Span(source.path, line, start, line, max(end, start + (end_column > len(text))))


def _headers(body: list[ast.stmt], owner: str = "") -> Iterator[_Header]:
    for statement in body:
        if not isinstance(statement, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _headers(blocks(statement), owner)
            continue
        is_class = isinstance(statement, ast.ClassDef)
        name = f"{owner}.{statement.name}".lstrip(".") if is_class or not owner else owner
        start = min([statement.lineno, *(decorator.lineno for decorator in statement.decorator_list)])
        end = max(statement.lineno, statement.body[0].lineno - 1)
        yield _Header(name, start, end, statement.end_lineno or end, is_class)
        if is_class:
            yield from _headers(statement.body, name)


def _target(source: Source, headers: list[_Header], line: int) -> str:
    alone = source.lines[line - 1].lstrip().startswith("#")
    at = line
    while alone and at < len(source.lines) and source.lines[at - 1].lstrip().startswith("#"):
        at += 1
    below = [header for header in headers if header.start == at]
    beside = [header for header in headers if header.start <= line <= header.end]
    if below or beside:
        return (below or beside)[-1].target
    around = [header for header in headers if header.is_class and header.start <= line <= header.body_end]
    return around[-1].target if around else ""


def _root(call: str, headers: list[_Header]) -> str:
    name = re.match(r"[\w.]*", call)
    return name[0] if name and any(header.target == name[0] for header in headers) else ""


FINDER = Finder("directive", find)

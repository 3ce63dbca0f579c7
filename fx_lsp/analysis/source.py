"""A Python file as text and as a tree; decoding as the interpreter does it."""

from __future__ import annotations

import ast
import builtins
import codecs
import io
import re
import tokenize
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import TypeVar, cast

from fx_lsp.analysis.shallow import make_shallow, too_large
from fx_lsp.model import syntax
from fx_lsp.model.span import Span

PYTHON = frozenset(dir(builtins))
"""Names that are there wherever code runs, until something else has them."""

MAX_SMALL = 100_000
"""Characters of code that is written inside something else."""

_SLOW = frozenset({"idna", "punycode"})
"""Encodings of host names, which take time with the square of what they decode."""

_LINE_END = re.compile("\r\n|\r|\n")


_Node = TypeVar("_Node", bound=ast.AST)


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """As `ast.walk`, for trees that nobody changes: what is below a node is kept with it."""
    below: tuple[ast.AST, ...] | None = vars(node).get("_below")
    if below is None:
        below = vars(node)["_below"] = tuple(ast.walk(node))[1:]
    yield node
    yield from below


class SourceError(ValueError):
    """The bytes of a file are no Python text; the message is one sentence for the user."""


@dataclass(frozen=True)
class ParseError:
    """Where and why a text does not parse."""

    message: str
    line: int
    """From 1."""
    column: int
    """In UTF-8 bytes."""


@dataclass(frozen=True)
class Source:
    """One version of a file.  Equal texts give equal sources, so everything derived from it may be kept."""

    path: str
    text: str
    tree: ast.Module | None
    error: ParseError | None
    nodes: int = 0
    """Size of the tree, about."""

    @cached_property
    def lines(self) -> list[str]:
        """Lines without their ends, split as the parser splits them (form feeds do not count)."""
        return _LINE_END.split(self.text)

    @cached_property
    def digest(self) -> str:
        """Of the text; the same in every session."""
        return sha256(self.text.encode(errors="surrogatepass")).hexdigest()

    @cached_property
    def bindings(self) -> dict[str, list[ast.stmt]]:
        """Per module-level name, the statements that bind it, in order; the `__main__` block does not count."""
        found: dict[str, list[ast.stmt]] = {}
        for statement in module_statements(self.tree.body if self.tree else []):
            for name in bound_names(statement):
                found.setdefault(name, []).append(statement)
        return found

    def every(self, kind: type[_Node]) -> list[_Node]:
        """All nodes of exactly this class: a walk through a large file takes long."""
        return cast("list[_Node]", self._by_kind.get(kind, []))

    @cached_property
    def _by_kind(self) -> dict[type[ast.AST], list[ast.AST]]:
        found: dict[type[ast.AST], list[ast.AST]] = {}
        for node in ast.walk(self.tree) if self.tree is not None else ():
            found.setdefault(type(node), []).append(node)
        return found

    @cached_property
    def builtins(self) -> frozenset[str]:
        """Names of Python's own that mean nothing else anywhere in the file: code may call a tensor `input`."""
        own = set(PYTHON)
        for node in ast.walk(self.tree) if self.tree else ():
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                own.discard(node.id)
            elif isinstance(node, ast.arg):
                own.discard(node.arg)
        return frozenset(own - self.bindings.keys())

    @cached_property
    def stars(self) -> list[ast.ImportFrom]:
        """Module-level `from … import *`."""
        statements = module_statements(self.tree.body if self.tree else [])
        return [s for s in statements if isinstance(s, ast.ImportFrom) and s.names[0].name == "*"]

    def span(self, node: ast.expr | ast.stmt | ast.keyword) -> Span:
        """Place of a node of this tree."""
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return Span(self.path, node.lineno, node.col_offset, end_line, end_column)


def parse(path: str, text: str, *, whole: bool = False) -> Source:
    """The text and its tree, or why there is none.

    Every tree of a file comes from here: none is larger than `shallow` says, and none deeper except a `whole` one,
    which nothing recursive may walk through.
    """
    if too_large(text):
        return Source(path, text, None, ParseError("this file is too large to be analysed", 1, 0))
    try:
        tree = syntax.module(text)
        return Source(path, text, tree, None, 0 if whole else make_shallow(tree))
    except SyntaxError as error:
        line = error.lineno or 1
        lines = _LINE_END.split(text)
        before = lines[line - 1][: max((error.offset or 1) - 1, 0)] if 0 < line <= len(lines) else ""
        return Source(path, text, None, ParseError(error.msg, line, len(before.encode("utf-8", "replace"))))
    except (RecursionError, MemoryError):
        return Source(path, text, None, ParseError("this file is nested too deeply to be analysed", 1, 0))
    except ValueError as error:
        return Source(path, text, None, ParseError(str(error), 1, 0))


@lru_cache(maxsize=16)
def parsed(path: str, text: str) -> Source:
    """As `parse`, once for a text that several ask for; nobody may change the tree."""
    return parse(path, text)


def parse_small(text: str) -> Source:
    """A piece of code that is written inside something else."""
    if len(text) > MAX_SMALL:
        return Source("", text, None, ParseError("this is too long", 1, 0))
    return parse("", text)


def parse_expression(text: str) -> ast.expr | None:
    """As `parse_small`, the tree of one expression; None when there is none."""
    tree = parse_small(text.strip()).tree
    only = tree.body[0] if tree is not None and len(tree.body) == 1 else None
    return only.value if isinstance(only, ast.Expr) else None


def decode(data: bytes) -> str:
    """The text of a Python file, honouring its byte order mark and coding cookie.

    Raises:
        SourceError: unknown encoding, or bytes that are not of that encoding.
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError:
        if data[:3] != codecs.BOM_UTF8 and (cookie := re.search(rb"coding[:=]\s*([-\w.]+)", data[:400])):
            raise SourceError(f"unknown encoding {cookie[1].decode('ascii', 'replace')}") from None
        raise SourceError(_not_text(data, "utf-8")) from None
    if codecs.lookup(encoding).name in _SLOW:
        raise SourceError(f"{encoding} is no encoding for a file")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise SourceError(_not_text(data, encoding, error.start)) from None
    except LookupError:
        raise SourceError(f"unknown encoding {encoding}") from None
    except (UnicodeError, ValueError) as error:
        raise SourceError(f"the file is not {encoding}: {error}") from None
    if "\0" in text:
        raise SourceError("the file contains null bytes: it is not Python source")
    return text


def _not_text(data: bytes, encoding: str, start: int | None = None) -> str:
    if start is None:
        try:
            data.decode(encoding)
        except UnicodeDecodeError as error:
            start = error.start
    name = "UTF-8" if encoding.startswith("utf-8") else encoding
    place = "" if start is None else f": byte 0x{data[start]:02x} on line {data[:start].count(10) + 1}"
    return f"the file is not {name}{place}"


def module_statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run when the module is imported, those inside `if`, `try`, `with` and loops included."""
    for statement in body:
        if isinstance(statement, ast.If) and is_main_guard(statement):
            yield from module_statements(statement.orelse)
            continue
        yield statement
        yield from module_statements(blocks(statement))


def blocks(statement: ast.stmt) -> list[ast.stmt]:
    """Statements directly inside a compound statement, in order; none for functions and classes."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return []
    inner: list[ast.stmt] = []
    for field in ("body", "handlers", "orelse", "finalbody", "cases"):
        for part in getattr(statement, field, ()):
            inner.extend(part.body if isinstance(part, (ast.ExceptHandler, ast.match_case)) else [part])
    return inner


def is_main_guard(statement: ast.stmt) -> bool:
    """Whether it is `if __name__ == "__main__":`."""
    if not isinstance(statement, ast.If) or not isinstance(statement.test, ast.Compare):
        return False
    sides = [statement.test.left, *statement.test.comparators]
    names = {side.id for side in sides if isinstance(side, ast.Name)}
    values = {side.value for side in sides if isinstance(side, ast.Constant)}
    return names == {"__name__"} and values == {"__main__"} and isinstance(statement.test.ops[0], ast.Eq)


def docstring(body: Sequence[ast.stmt]) -> ast.Constant | None:
    """The docstring that the body of a module, a class or a function starts with, as the node that it is."""
    value = body[0].value if body and isinstance(body[0], ast.Expr) else None
    return value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


def bound_names(statement: ast.stmt) -> list[str]:
    """Names that a statement itself binds, without what is inside its blocks."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [statement.name]
    if isinstance(statement, ast.Import):
        return [alias.asname or alias.name.partition(".")[0] for alias in statement.names]
    if isinstance(statement, ast.ImportFrom):
        return [alias.asname or alias.name for alias in statement.names if alias.name != "*"]
    inside = {id(inner) for inner in blocks(statement)}
    names: list[str] = []
    queue = deque[ast.AST]([statement])
    while queue:
        node = queue.popleft()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.append(node.id)
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)):
            continue
        queue.extend(child for child in ast.iter_child_nodes(node) if id(child) not in inside)
    return names

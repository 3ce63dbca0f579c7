"""Two texts that mean the same, and where each place of one is in the other.

They do when their trees are equal but for positions and docstrings: comments, blank lines, line breaks, white space,
redundant parentheses and commas, the quotes of a string.  Code that reads its own source, its docstrings or its line
numbers could tell them apart, and is not asked.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar, cast

from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.moved import unchanged
from fx_lsp.analysis.source import Source, blocks, docstring, parse
from fx_lsp.model.span import Span

Place = tuple[int, int, int, int]
"""Line and column, end line and end column, as in a span."""

Placed = ast.expr | ast.stmt | ast.pattern | ast.arg | ast.keyword | ast.alias | ast.ExceptHandler
"""Nodes that have a place."""

_Named = ast.Return | ast.arg | ast.MatchAs | ast.MatchStar | ast.FunctionDef
"""What holds a name, or a keyword, that is no node and that facts have the place of."""

T = TypeVar("T")

_TRIPLE = ('"""', "'''")
_UNSAID = re.compile(r"#.*|[\s(),;\\]+")
"""What may come and go without the tree telling, wherever there is no string."""


@dataclass(frozen=True)
class Copied:
    """An f-string that stands in the new text as it stood in the old one.

    What is inside goes along as a whole: versions of Python differ in the positions that they give it.
    """

    old: Place
    lines: int
    columns: int
    """How far it moved; only its first line moves sideways."""

    def place(self, place: Place) -> Place | None:
        """Where a place went; None when it is not inside."""
        if not self.old[:2] <= place[:2] <= place[2:] <= self.old[2:]:
            return None
        (line, column), (end_line, end_column) = map(self._moved, (place[:2], place[2:]))
        return line, column, end_line, end_column

    def _moved(self, at: tuple[int, int]) -> tuple[int, int]:
        return at[0] + self.lines, at[1] + (self.columns if at[0] == self.old[0] else 0)


@dataclass(frozen=True)
class Moves:
    """From places of one text to those of another that means the same."""

    new: Source
    places: Mapping[Place, Place | None]
    """Of each expression, statement and name in what was reworded; None where two that were at one place are not any
    more."""
    lines: Mapping[int, int | None]
    """Of the first lines of statements in it."""
    copied: Sequence[Copied]
    kept: Mapping[int, int]
    """Of the lines of statements that stand there as they did."""

    def span(self, span: Span) -> Span | None:
        """Where the same expression or name is now; None when that is not certain.  Other files stay as they are."""
        if span.path != self.new.path:
            return span
        place = (span.line, span.column, span.end_line, span.end_column)
        if place in self.places:
            found = self.places[place]
        else:
            found = self._kept(place) or next((there for one in self.copied if (there := one.place(place))), None)
        return Span(span.path, *found) if found is not None else None

    def line(self, line: int) -> int | None:
        """The first line of the statements that started on this one; None when they share none any more."""
        return self.lines[line] if line in self.lines else self.kept.get(line)

    def _kept(self, place: Place) -> Place | None:
        line, column, end_line, end_column = place
        first, last = self.kept.get(line), self.kept.get(end_line)
        if first is None or last is None or last - first != end_line - line:
            return None
        return first, column, last, end_column


def moves(path: str, old: str, new: str) -> Moves | None:
    """Where everything went, when the texts mean the same; None when they do not, or do not parse."""
    if not _may_be_same(path, old, new):
        return None
    before, after = _read(path, old), _read(path, new)
    return _Comparison(before.source, after.source).moves() if before is not None and after is not None else None


class _Comparison:
    def __init__(self, old: Source, new: Source) -> None:
        self._old, self._new = old, new
        self._places: dict[Place, Place | None] = {}
        self._lines: dict[int, int | None] = {}
        self._copied: list[Copied] = []
        self._kept: dict[int, int] = {}

    def moves(self) -> Moves | None:
        """Walks both trees at once, past the statements whose text is the same: this runs at every key that is typed
        into a comment."""
        pairs: list[tuple[object, object, bool]] = [(self._old.tree, self._new.tree, True)]
        while pairs:
            one, other, noted = pairs.pop()
            if type(one) is not type(other):
                return None
            if isinstance(one, ast.AST):
                if isinstance(one, ast.stmt) and self._stays(one, cast("ast.stmt", other)):
                    continue
                if noted and isinstance(one, Placed):
                    self._note(one, cast("Placed", other))
                noted = noted and not isinstance(one, ast.JoinedStr)
                for name in one._fields:
                    pairs.append((getattr(one, name, None), getattr(other, name, None), noted))
            elif isinstance(one, list):
                parts, others = cast("list[object]", one), cast("list[object]", other)
                if len(parts) != len(others):
                    return None
                pairs.extend((*pair, noted) for pair in zip(parts, others, strict=True))
            elif one != other:
                return None
        return Moves(self._new, self._places, self._lines, self._copied, self._kept)

    def _stays(self, old: ast.stmt, new: ast.stmt) -> bool:
        """Whether the statement stands on the same lines as before, wherever they are now."""
        mine, its = _lines_of(old), _lines_of(new)
        if self._old.lines[mine.start - 1 : mine.stop - 1] != self._new.lines[its.start - 1 : its.stop - 1]:
            return False
        if old.col_offset != new.col_offset:  # another statement of the same line
            return False
        self._kept.update(zip(mine, its, strict=True))
        return True

    def _note(self, old: Placed, new: Placed) -> None:
        one, other = _place(old), _place(new)
        _put(self._places, one, other)
        if isinstance(old, _Named):
            _put(self._places, _name(old), _name(cast("_Named", new)))
        if isinstance(old, ast.stmt):
            _put(self._lines, old.lineno, new.lineno)
        if isinstance(old, ast.JoinedStr) and _written(self._old, one) == _written(self._new, other):
            self._copied.append(Copied(one, other[0] - one[0], other[1] - one[1]))


def _lines_of(statement: ast.stmt) -> range:
    """With its decorators."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
    return range(first, (statement.end_lineno or first) + 1)


def _put(known: dict[T, T | None], old: T, new: T) -> None:
    known[old] = new if known.get(old, new) == new else None


def _place(node: Placed) -> Place:
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def _name(node: _Named) -> Place:
    line, column, end_line, end = _place(node)
    if isinstance(node, ast.Return):
        return line, column, line, column + len("return")
    if isinstance(node, ast.arg):
        return line, column, line, column + _width(node.arg)
    if isinstance(node, ast.FunctionDef):
        return line, column, line, column + len("def ") + _width(node.name)
    return end_line, end - _width(node.name or ""), end_line, end


def _width(name: str) -> int:
    return len(name.encode("utf-8", "surrogatepass"))


def _written(source: Source, place: Place) -> list[bytes]:
    """The lines of a piece of the text."""
    line, column, end_line, end = place
    lines = [text.encode("utf-8", "surrogatepass") for text in source.lines[line - 1 : end_line]]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][column:]
    return lines


@dataclass(frozen=True)
class _Read:
    """A text and what it says: a tree without docstrings."""

    source: Source
    docstrings: tuple[range, ...]
    """Lines that they stand on."""


@lru_cache(maxsize=2)
def _read(path: str, text: str) -> _Read | None:
    """A tree is large: kept are those of the texts that were compared last."""
    source = parse(path, text, whole=True)
    if source.tree is None:
        return None
    found: list[range] = []
    for body in _bodies(source.tree):
        if docstring(body) is not None:
            first = body.pop(0)
            found.append(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return _Read(source, tuple(found))


def _bodies(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    """Of everything that may have a docstring."""
    waiting = [tree.body]
    while waiting:
        body = waiting.pop()
        yield body
        for statement in body:
            inner = [statement]
            while inner:
                one = inner.pop()
                if isinstance(one, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                    waiting.append(one.body)
                inner.extend(blocks(one))


def _may_be_same(path: str, old: str, new: str) -> bool:
    """Whether a comparison is worth its time: most keys that are typed change what the text says."""
    before, after = columns(old).lines, columns(new).lines
    head, tail = unchanged(before, after)
    gone, come = ("\n".join(lines[head : len(lines) - tail]) for lines in (before, after))
    if _UNSAID.sub("", gone) == _UNSAID.sub("", come) or any(quote in gone + come for quote in "'\""):
        return True
    above = "\n".join(before[:head])
    if not any(above.count(quotes) % 2 for quotes in _TRIPLE):  # not in a docstring of several lines
        return False
    read, first, last = _read(path, old), head + 1, len(before) - tail
    return read is not None and any(lines.start <= first and last < lines.stop for lines in read.docstrings)

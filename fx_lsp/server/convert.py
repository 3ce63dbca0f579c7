"""The border to LSP: the only place that knows UTF-16 and URIs.

Inside, lines count from 1 and columns are UTF-8 bytes.  Positions outside the text are brought inside it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from lsprotocol import types
from pygls import uris

from fx_lsp.model.span import Span

_LINE_END = re.compile("\r\n|\r|\n")


def to_path(uri: str) -> str | None:
    """The file's path; None for what is no file."""
    return uris.to_fs_path(uri)


def to_uri(path: str) -> str:
    """The URI of a file."""
    return uris.from_fs_path(path) or ""


@lru_cache(maxsize=64)
def _lines(text: str) -> tuple[str, ...]:
    return tuple(_LINE_END.split(text))


def _prefix(line: str, column: int) -> str:
    """What stands before a column in bytes; a column inside a character is before it."""
    left = max(column, 0)
    for index, char in enumerate(line):
        left -= len(char.encode("utf-8", "surrogatepass"))
        if left < 0:
            return line[:index]
    return line


@dataclass(frozen=True)
class Border:
    """Converts positions between a text and a client that counts in `encoding`: `utf-16`, `utf-8` or `utf-32`."""

    encoding: str = "utf-16"

    def position_out(self, text: str, line: int, column: int) -> types.Position:
        """Our line and column as the client counts."""
        lines = _lines(text)
        if line < 1:
            return types.Position(0, 0)
        if line > len(lines):
            return types.Position(len(lines) - 1, self._units(lines[-1]))
        return types.Position(line - 1, self._units(_prefix(lines[line - 1], column)))

    def position_in(self, text: str, position: types.Position) -> tuple[int, int]:
        """The client's position as our line and column."""
        lines = _lines(text)
        if position.line >= len(lines):
            return len(lines), len(lines[-1].encode("utf-8", "surrogatepass"))
        left, column = position.character, 0
        for char in lines[position.line]:
            left -= self._units(char)
            if left < 0:
                break
            column += len(char.encode("utf-8", "surrogatepass"))
        return position.line + 1, column

    def range_out(self, text: str, span: Span) -> types.Range:
        """Our span as the client counts, its end never before its start."""
        start = self.position_out(text, span.line, span.column)
        end = self.position_out(text, span.end_line, span.end_column)
        return types.Range(start, max(start, end, key=lambda place: (place.line, place.character)))

    def _units(self, text: str) -> int:
        if self.encoding == "utf-32":
            return len(text)
        if self.encoding == "utf-8":
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text.encode("utf-16-le", "surrogatepass")) // 2

    def edited(self, text: str, change: types.TextDocumentContentChangeEvent) -> str:
        """The text after one change that the client made."""
        if not isinstance(change, types.TextDocumentContentChangePartial):
            return change.text
        start = self._offset(text, change.range.start)
        end = max(start, self._offset(text, change.range.end))
        return text[:start] + change.text + text[end:]

    def _offset(self, text: str, position: types.Position) -> int:
        """Characters before the client's position."""
        start = 0
        for _ in range(position.line):
            found = _LINE_END.search(text, start)
            if found is None:
                return len(text)
            start = found.end()
        line, column = self.position_in(text, position)
        return start + len(
            _lines(text)[line - 1].encode("utf-8", "surrogatepass")[:column].decode("utf-8", "surrogatepass")
        )

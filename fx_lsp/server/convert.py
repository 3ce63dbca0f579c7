"""The border to LSP: the only place that knows UTF-16 and URIs.

Inside, lines count from 1 and columns are UTF-8 bytes.  Positions outside the text are brought inside it.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote

from lsprotocol import types
from pygls import uris

from fx_lsp.model.span import Span

MAX_PATH = 4096
"""Characters of a path."""

_LINE_END = re.compile("\r\n|\r|\n")


def to_path(uri: str) -> str | None:
    """The file's path; None for what is no file, and for what no file can be called."""
    try:
        path = uris.to_fs_path(uri)
        if path is None or not os.path.isabs(path) or "\0" in path or len(path) > MAX_PATH:
            return None
        os.fsencode(path)
    except ValueError:
        return None
    return path


def to_uri(path: str) -> str:
    """The URI of a file."""
    try:
        return uris.from_fs_path(path) or ""
    except ValueError:  # bytes that are no text
        return "file://" + quote(path.encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=16)
def _lines(text: str) -> tuple[str, ...]:
    return tuple(_LINE_END.split(text))


def _prefix(line: str, column: int) -> str:
    """What stands before a column in bytes; a column inside a character is before it."""
    left = max(column, 0)
    if line.isascii():
        return line[:left]
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
        if position.line < 0:
            return 1, 0
        if position.line >= len(lines):
            return len(lines), len(lines[-1].encode("utf-8", "surrogatepass"))
        before = self._before(lines[position.line], position.character)
        return position.line + 1, len(before.encode("utf-8", "surrogatepass"))

    def range_out(self, text: str, span: Span) -> types.Range:
        """Our span as the client counts, its end never before its start."""
        start = self.position_out(text, span.line, span.column)
        end = self.position_out(text, span.end_line, span.end_column)
        return types.Range(start, max(start, end, key=lambda place: (place.line, place.character)))

    def _before(self, line: str, character: int) -> str:
        """What stands before a place as the client counts; a place inside a character is before it."""
        if line.isascii() or self.encoding == "utf-32":
            return line[: max(character, 0)]
        left = character
        for index, char in enumerate(line):
            left -= self._units(char)
            if left < 0:
                return line[:index]
        return line

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
        if position.line < 0:
            return 0
        start = 0
        for _ in range(position.line):
            found = _LINE_END.search(text, start)
            if found is None:
                return len(text)
            start = found.end()
        end = _LINE_END.search(text, start)
        return start + len(self._before(text[start : end.start() if end else len(text)], position.character))

"""Columns of a text: UTF-8 bytes inside, characters in reports."""

from __future__ import annotations

import re
from functools import lru_cache

from fx_lsp.model.span import Span

_LINE_END = re.compile("\r\n|\r|\n")


class Columns:
    """Places in one text.  Lines count from 1; what lies outside is brought to the nearest end."""

    def __init__(self, text: str) -> None:
        self.lines: list[str] = []
        """Without their ends, as the parser splits them."""
        self._starts: list[int] = []
        start = 0
        for match in _LINE_END.finditer(text):
            self._add(text, start, match.start())
            start = match.end()
        self._add(text, start, len(text))
        self.newline = "\r\n" if "\r\n" in text else "\n"
        """How the lines of the text end."""

    def _add(self, text: str, start: int, end: int) -> None:
        self._starts.append(start)
        self.lines.append(text[start:end])

    def character(self, line: int, column: int) -> int:
        """A column in UTF-8 bytes as one in characters."""
        if not 1 <= line <= len(self.lines):
            return 0
        text = self.lines[line - 1]
        if text.isascii():
            return min(column, len(text))
        return len(text.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore"))

    def offset(self, line: int, column: int) -> int:
        """Characters of the text before a place."""
        line = min(max(line, 1), len(self.lines))
        return self._starts[line - 1] + self.character(line, column)

    def offsets(self, span: Span) -> tuple[int, int]:
        """Characters of the text before a part of it, and up to its end."""
        return self.offset(span.line, span.column), self.offset(span.end_line, span.end_column)


@lru_cache(maxsize=16)
def columns(text: str) -> Columns:
    """The places of `text`."""
    return Columns(text)

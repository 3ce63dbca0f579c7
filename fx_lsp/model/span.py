"""A place in a source file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Span:
    """A range of source text, end exclusive, counted as `ast` and `co_positions()` count.

    Columns become UTF-16 in one place only: `server/convert.py`.
    """

    path: str
    """Absolute path of the file."""
    line: int
    """First line, from 1."""
    column: int
    """First column, from 0, in UTF-8 bytes."""
    end_line: int
    end_column: int

    def contains(self, line: int, column: int) -> bool:
        """Whether the position (line from 1, UTF-8 column) is inside or at either edge."""
        return (self.line, self.column) <= (line, column) <= (self.end_line, self.end_column)

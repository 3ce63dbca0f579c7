"""What the client calls a document: a file, or a cell, which is some lines of a notebook."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lsprotocol import types

from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.span import Span
from fx_lsp.server.convert import Border


@dataclass(frozen=True)
class View:
    """A document, in what is known of its file."""

    uri: str
    snapshot: Snapshot
    border: Border
    text: str
    """Of the document, as the client has it: in a cell are magics that the file's text lacks."""
    lines: range
    """Its lines in the snapshot's text, from 1."""

    def holds(self, span: Span) -> bool:
        """Whether a place of the file ends in it."""
        return span.end_line in self.lines

    def line(self, line: int) -> int:
        """The client's line, from 0, as ours."""
        return line + self.lines.start

    def position_in(self, position: types.Position) -> tuple[int, int]:
        """The client's position as our line and column."""
        line, column = self.border.position_in(self.text, position)
        return line + self.lines.start - 1, column

    def range_out(self, span: Span) -> types.Range:
        """Our span as the client counts."""
        return self.border.range_out(self.text, lifted(span, self.lines.start - 1))


def lifted(span: Span, lines: int) -> Span:
    """The span, that many lines further up."""
    return replace(span, line=span.line - lines, end_line=span.end_line - lines)

"""Blank lines around statements that are taken away: what is left is the longer one of two rows of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fx_lsp.analysis.actions import Changes
from fx_lsp.model.span import Span


def tidied(lines: Sequence[str], changes: Changes) -> Changes:
    """The edit, that also takes as many blank lines after those which are gone as there are before them."""
    gone = sorted(span for span, text in changes if not text and _is_whole(span))
    starts, longer = {span.line for span in gone}, dict[Span, Span]()
    first = 0
    for before, span in zip([None, *gone], gone, strict=False):
        if before is None or longer.get(before, before).end_line != span.line:
            first = span.line
        after = _not_blank(lines, span.end_line)
        spare = after if after in starts else min(span.end_line + _blank_before(lines, first), after)
        if spare > span.end_line:
            longer[span] = replace(span, end_line=spare)
    return tuple((longer.get(span, span) if not text else span, text) for span, text in changes)


def _is_whole(span: Span) -> bool:
    """Whether it is lines with their ends."""
    return span.column == span.end_column == 0 and span.line < span.end_line


def _not_blank(lines: Sequence[str], line: int) -> int:
    while _is_blank(lines, line):
        line += 1
    return line


def _blank_before(lines: Sequence[str], line: int) -> int:
    count = 0
    while _is_blank(lines, line - 1 - count):
        count += 1
    return count


def _is_blank(lines: Sequence[str], line: int) -> bool:
    return 1 <= line <= len(lines) and not lines[line - 1].strip()

"""The whole of an assertion, and the conditions under which a statement stands, as they are written."""

from __future__ import annotations

import ast
import linecache
from types import FrameType
from typing import List

from fx_lsp.worker.indentation import depth
from fx_lsp.worker.inference.live import parsed

MAX_SPAN = 24
"""Lines above one that are looked at, and lines of an expression."""
_LINKS = ("if ", "elif ", "else", "case ")
_ENDS = ("if ", "for ", "while ", "with ", "def ", "try", "except", "match ")


def conditions_above(frame: FrameType, line: int, text: str) -> str:
    """Those under which a statement stands, and those before it in a chain."""
    inside, found, chained = depth(text), "", True
    for number in range(line - 1, max(line - MAX_SPAN, 0), -1):
        above = linecache.getline(frame.f_code.co_filename, number)
        first = above.lstrip()
        if not first or depth(above) > inside:
            continue
        if depth(above) == inside:
            if chained and first.startswith(_LINKS):
                found = above + found
            chained = chained and first.startswith(_LINKS) and not (found and first.startswith(("if ", "for ")))
            continue
        found, inside, chained = above + found, depth(above), first.startswith(("elif ", "else", "case "))
        if not chained and first.startswith(_ENDS):
            break
    return found


def assertion(frame: FrameType, line: int) -> str:
    """The statement that is asserted on a line or on some above it; empty where there is none."""
    lines: List[str] = []
    for number in range(line, max(line - MAX_SPAN, 0), -1):
        lines.insert(0, linecache.getline(frame.f_code.co_filename, number))
        if lines[0].lstrip().startswith("assert"):
            break
    else:
        return ""
    reach = len(lines)
    for number in range(line + 1, line + MAX_SPAN):
        if statements := parsed("".join(lines)):
            first = statements[0]
            return "".join(lines) if isinstance(first, ast.Assert) and (first.end_lineno or 0) >= reach else ""
        lines.append(linecache.getline(frame.f_code.co_filename, number))
    return ""

"""A notebook as one Python text: its cells in order, line by line, with what only IPython understands taken out."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from fx_lsp.analysis.source import ParseError, parse

SUFFIX = ".ipynb"

_LINE_END = re.compile("\r\n|\r|\n")
_PYTHON = ("%%time", "%%timeit", "%%capture", "%%prun", "%%memit")
"""Magics of a cell whose other lines are Python still."""
_MAGIC = re.compile(r"\s*(?:[%!?].*|[\w.]+\s*\?{1,2}\s*)")
_GIVEN = re.compile(r"(\s*[\w., ]+=\s*)[!%].*")
"""`files = !ls`"""


@dataclass(frozen=True)
class Whole:
    """The text of all cells."""

    text: str
    starts: tuple[int, ...]
    """Per cell its first line, from 1; every cell has at least one."""
    errors: tuple[ParseError, ...]
    """Of cells that do not parse and were left out, at their lines of the whole."""

    def cell(self, line: int) -> int:
        """Which cell a line belongs to; the nearest one when it belongs to none.  There has to be one."""
        return min(max(bisect_right(self.starts, line) - 1, 0), len(self.starts) - 1)

    def lines(self, cell: int) -> range:
        """The lines of a cell."""
        after = self.starts[cell + 1] if cell + 1 < len(self.starts) else self.text.count("\n") + 1
        return range(self.starts[cell], max(after, self.starts[cell] + 1))


def whole(cells: Sequence[str], typed: int = -1) -> Whole:
    """The cells as one text.

    One that does not parse is left out, so that the others can be run; but not the one being `typed`: what was known
    of it stays until it parses again.
    """
    lines: list[str] = []
    starts: list[int] = []
    errors: list[ParseError] = []
    for number, cell in enumerate(cells):
        starts.append(len(lines) + 1)
        found = plain(cell)
        error = parse("", "\n".join(found)).error
        if error is not None and number != typed:
            errors.append(ParseError(error.message, starts[-1] + error.line - 1, error.column))
            found = [""] * len(found)
        lines += found
    return Whole("".join(f"{line}\n" for line in lines), tuple(starts), tuple(errors))


def plain(cell: str) -> list[str]:
    """The lines of a cell as Python: a magic does nothing.  What parses as it is has none."""
    lines = _LINE_END.split(cell)
    if parse("", cell).error is None:
        return lines
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        if lines[first].split()[0] not in _PYTHON:
            return [""] * len(lines)
        lines[first] = ""
    continued = False
    for number, line in enumerate(lines):
        if continued:
            lines[number], continued = "", line.endswith("\\")
            continue
        magic, given = _MAGIC.fullmatch(line), _GIVEN.fullmatch(line)
        continued = bool(magic or given) and line.endswith("\\")
        if magic is not None:
            lines[number] = line[: len(line) - len(line.lstrip())] + "pass"
        elif given is not None:
            lines[number] = f"{given[1]}None"
    return lines

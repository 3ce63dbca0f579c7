"""The code of a notebook, each line on the line of the file where it is written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from fx_lsp.analysis.notebook import plain
from fx_lsp.analysis.source import parse_small

_TOKEN = re.compile(r'"(?:[^"\\\n]++|\\.)*+"|[{}\[\]:,\n]')
MAX_CELLS = 1000
_CELL = 3
"""How deep a cell lies: `{"cells": [{`."""


@dataclass
class _Cell:
    kind: str = ""
    lines: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """Parts of its text, with the lines of the file where they start."""


def notebook_code(text: str) -> str:
    """The code cells in order, without what is no Python; of one that is open, which is Python already, all of it."""
    if not text.lstrip().startswith("{"):
        return text
    found: list[str] = []
    for cell in islice(_cells(text), MAX_CELLS):
        lines = list(_placed(cell.lines)) if cell.kind == "code" else []
        code = plain("\n".join(line for _, line in lines))
        if parse_small("\n".join(code)).tree is None:
            continue
        for (number, _), line in zip(lines, code, strict=False):
            found.extend([""] * (number - 1 - len(found)))
            found.append(line)
    return "\n".join(found)


def _placed(parts: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Lines out of parts, of which the last one of each is whole unless the next one goes on with it."""
    line, rest = 0, ""
    for start, part in parts:
        first, *others = part.split("\n")
        if not rest:
            line = start
        rest += first
        for other in others:
            yield line, rest
            line, rest = max(start, line), other
    if rest:
        yield line, rest


def _cells(text: str) -> Iterator[_Cell]:
    cell = _Cell()
    line = 1
    keys: list[str] = []
    """Of each open object or list, the key that was read last."""
    last = ""
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == "\n":
            line += 1
        elif token in "{[":
            keys.append("")
            if len(keys) == _CELL and keys[0] == "cells":
                cell = _Cell()
        elif token in "}]":
            if len(keys) == _CELL and keys[0] == "cells":
                yield cell
            del keys[-1:]
        elif token == ":" and keys:
            keys[-1], last = last, ""
        elif token == ",":
            keys[-1:], last = [""] if keys else [], ""
        elif token != ":":
            last = _string(token)
            if len(keys) in (_CELL, _CELL + 1) and keys[0] == "cells":
                within = keys[_CELL - 1]
                if within == "cell_type" and len(keys) == _CELL:
                    cell.kind = cell.kind or last
                elif within == "source":
                    cell.lines.append((line, last))


def _string(token: str) -> str:
    if len(token) > 100_000:  # an image
        return ""
    try:
        value = json.loads(token)
    except ValueError:
        return ""
    return value if isinstance(value, str) else ""

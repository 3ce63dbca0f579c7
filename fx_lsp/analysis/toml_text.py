"""TOML that a stranger wrote: read within bounds of size and depth, and never with another error than ours."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

MAX_TEXT = 256 << 10
"""Characters; a larger `pyproject.toml` is none that somebody wrote."""
MAX_DOTS = 64
"""Parts of one key; the parser takes time and memory with the square of them."""

TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|[\w-]+|\n|[^\S\n]+|.', re.DOTALL
)
"""Strings, comments, bare keys and everything like them, white space, signs."""
_AT_LINE = re.compile(r" \(at line (\d{1,9}), column \d+\)| \(at end of document\)")


class TomlError(ValueError):
    """The text is no TOML, or too much of it.  `line` from 1 is where."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def is_toml(text: str) -> bool:
    """Whether it is."""
    try:
        load_toml(text)
    except TomlError:
        return False
    return True


def load_toml(text: str) -> dict[str, Any]:
    """The document.

    Raises:
        TomlError: there is none.
    """
    if len(text) > MAX_TEXT:
        raise TomlError(f"this is larger than {MAX_TEXT >> 10} KiB and is not read", 1)
    line = _long_key(text)
    if line is not None:
        raise TomlError(f"a key has at most {MAX_DOTS} parts", line)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = _AT_LINE.search(str(error))
        at = int(match[1]) if match and match[1] else len(text.rstrip().split("\n"))
        raise TomlError(f"not TOML: {_AT_LINE.sub('', str(error))}", at) from None
    except (RecursionError, MemoryError):
        raise TomlError("not TOML: nested too deeply", 1) from None
    except (ValueError, OverflowError) as error:  # an integer of ten thousand digits, a date that no calendar has
        raise TomlError(f"not TOML: {error}", 1) from None


def tokens(text: str, start: int = 0, end: int = MAX_TEXT) -> Iterator[re.Match[str]]:
    """A part of the text in pieces."""
    return TOKEN.finditer(text, start, end)


def _long_key(text: str) -> int | None:
    """The line of a key with too many parts."""
    dots, line = 0, 1
    for match in TOKEN.finditer(text):
        token = match[0]
        if token == ".":
            dots += 1
            if dots > MAX_DOTS:
                return line
        elif token == "\n" or token in "=,[]{}":
            dots = 0
        line += token.count("\n")
    return None

"""Where keys and strings of a TOML table are written, for messages on the right line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from fx_lsp.analysis.toml_text import tokens
from fx_lsp.model.span import Span

MAX_KEYS = 5
"""Parts of a path that are looked up: `tool`, `fx-lsp`, a table, a file and one more."""
_SPACE = re.compile(r"[^\S\n]+")


@dataclass(frozen=True)
class Place:
    """One `key = value` of a document."""

    keys: tuple[str, ...]
    """Path of the key from the top of the document."""
    start: int
    """Offset of the key, in characters of the document."""
    value: int
    """Offset just after `=`."""
    end: int


class Places:
    """All `key = value` lines of a TOML document that `tomllib` accepts, found in one pass."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.text = path, text
        self._places: dict[tuple[str, ...], Place] = {}
        self._inside: dict[tuple[str, ...], Place] = {}
        """Per path, the first line below it."""
        self._headers: dict[tuple[str, ...], int] = {}
        """Per path of a table, or of one around it, where its header stands."""
        for found in _scan(text):
            keys = found.keys
            if found.value < 0:
                for size in range(min(len(keys), MAX_KEYS)):
                    self._headers.setdefault(keys[: size + 1], found.start)
                continue
            self._places.setdefault(keys, found)
            for size in range(min(len(keys), MAX_KEYS)):
                self._inside.setdefault(keys[: size + 1], found)

    def find(self, *keys: str) -> Place | None:
        """The line that sets `keys`, or the nearest one around it (`dims = { B = 2 }` for `dims`, `B`)."""
        if (exact := self._places.get(keys)) is not None:
            return exact
        around = [place for size in range(len(keys)) if (place := self._places.get(keys[:size])) is not None]
        if not around:
            return self._inside.get(keys)
        first = min(around, key=lambda place: place.start)
        return self._nested(first, keys[-1]) or first

    def _nested(self, place: Place, key: str) -> Place | None:
        match = re.compile(rf"""["']?{re.escape(key)}["']?\s*=""").search(self.text, place.value, place.end)
        return Place((*place.keys, key), match.start(), match.end(), place.end) if match else None

    def key_span(self, *keys: str) -> Span:
        """From the key to the end of its first line; the table's header, or the first line, when there is no key."""
        place = self.find(*keys)
        start = place.start if place is not None else self._header(keys)
        return self.span(start, _line_end(self.text, start))

    def strings(self, *keys: str) -> list[tuple[int, int]]:
        """Offsets of the string literals in a value, in order."""
        place = self.find(*keys)
        if place is None:
            return []
        found: list[tuple[int, int]] = []
        depth = 0
        for match in tokens(self.text, place.value, place.end):
            token = match[0]
            depth += (token in ("[", "{")) - (token in ("]", "}"))
            if depth < 0 or (depth == 0 and token == ","):
                break  # the value was inside another one, and is over
            if token[0] in "\"'":
                found.append(match.span())
        return found

    def span(self, start: int, end: int) -> Span:
        """Offsets in characters as a span."""
        return Span(self.path, *_position(self.text, start), *_position(self.text, max(start, end)))

    def _header(self, keys: tuple[str, ...]) -> int:
        """Of the table itself, else of the nearest one around it."""
        sizes = range(len(keys), 0, -1)
        return next((self._headers[keys[:size]] for size in sizes if keys[:size] in self._headers), 0)


def line_span(path: str, text: str, line: int) -> Span:
    """A whole line (from 1), without its indent."""
    content = text.split("\n")[line - 1] if 0 < line <= text.count("\n") + 1 else ""
    content = content.rstrip("\r")
    indent = len(content) - len(content.lstrip())
    return Span(path, line, indent, line, max(len(content.encode("utf-8", "surrogatepass")), indent + 1))


def _scan(text: str) -> Iterator[Place]:
    """The lines that set a key, and the headers of tables with a `value` of -1."""
    table: tuple[str, ...] = ()
    keys: list[str] = []
    start = value = -1
    depth = 0
    header = False
    for match in tokens(text):
        token = match[0]
        if token[0] == "#" or _SPACE.fullmatch(token):
            continue
        if token == "\n" and depth == 0:
            if value >= 0:
                yield Place((*table, *keys), start, value, match.end())
            keys, start, value, header = [], -1, -1, False
        elif value >= 0:
            depth += (token in ("[", "{")) - (token in ("]", "}"))
        elif token == "[":
            start = match.start() if start < 0 else start
            header = True
        elif token == "]" and header:
            if keys:
                table = tuple(keys)
                yield Place(table, start, -1, match.end())
            keys = []
        elif token == "=" and not header:
            value = match.end()
        elif token not in (".", "\n", "\r"):
            start = match.start() if start < 0 else start
            keys.append(_unquoted(token))
    if value >= 0:
        yield Place((*table, *keys), start, value, len(text))


def _unquoted(token: str) -> str:
    if token[0] not in "\"'":
        return token
    if "\\" not in token or token[0] == "'":
        return token[1:-1]
    return cast("str", tomllib.loads(f"key = {token}")["key"])


def _position(text: str, offset: int) -> tuple[int, int]:
    start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset) + 1, len(text[start:offset].encode("utf-8", "surrogatepass"))


def _line_end(text: str, offset: int) -> int:
    end = text.find("\n", offset)
    return len(text[offset : end if end >= 0 else len(text)].rstrip()) + offset

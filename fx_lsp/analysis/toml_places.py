"""Where keys and strings of a TOML table are written, for messages on the right line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass

from fx_lsp.model.span import Span

_HEADER = re.compile(r"\s*\[([^\[\]]*(?:\"[^\"]*\"|'[^']*')?[^\[\]]*)\]\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"\n]*"|'[^'\n]*')(?:\s*\.\s*(?:[\w-]+|"[^"\n]*"|'[^'\n]*'))*)\s*=""")
_STRING = re.compile(r'"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*', re.DOTALL)


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
    """All `key = value` lines of a TOML document that `tomllib` accepts."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.text = path, text
        self._all = list(_scan(text))

    def find(self, *keys: str) -> Place | None:
        """The line that sets `keys`, or the nearest one around it (`dims = { B = 2 }` for `dims`, `B`)."""
        for place in self._all:
            if place.keys == keys:
                return place
        inside = [p for p in self._all if p.keys[: len(keys)] == keys]
        around = [p for p in self._all if keys[: len(p.keys)] == p.keys]
        found = around[0] if around else inside[0] if inside else None
        if found is not None and around and len(keys) > len(found.keys):
            return self._nested(found, keys[-1]) or found
        return found

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
        tokens = _STRING.finditer(self.text, place.value, place.end)
        return [match.span() for match in tokens if not match[0].startswith("#")]

    def span(self, start: int, end: int) -> Span:
        """Offsets in characters as a span."""
        return Span(self.path, *_position(self.text, start), *_position(self.text, max(start, end)))

    def _header(self, keys: tuple[str, ...]) -> int:
        for match in re.finditer(r"^\s*\[[^\n]*", self.text, re.MULTILINE):
            if (header := _header_keys(match[0].strip())) and header[: len(keys)] == keys[: len(header)] == header:
                return match.start() + len(match[0]) - len(match[0].lstrip())
        return 0


def line_span(path: str, text: str, line: int) -> Span:
    """A whole line (from 1), without its indent."""
    content = text.split("\n")[line - 1] if line <= text.count("\n") + 1 else ""
    content = content.rstrip("\r")
    indent = len(content) - len(content.lstrip())
    return Span(path, line, indent, line, max(len(content.encode()), indent + 1))


def _scan(text: str) -> Iterator[Place]:
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    table: tuple[str, ...] = ()
    row = 0
    while row < len(lines):
        match = _KEY.match(lines[row])
        if match is None:
            header = _header_keys(lines[row].strip())
            table = header if header is not None else table
            row += 1
            continue
        last = row + 1
        while last < len(lines) and _parsed("".join(lines[row:last])) is None:
            last += 1
        keys = _key_path(match[1])
        yield Place((*table, *keys), starts[row] + match.start(1), starts[row] + match.end(), starts[last])
        row = last


def _parsed(text: str) -> dict[str, object] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _header_keys(line: str) -> tuple[str, ...] | None:
    match = _HEADER.match(line)
    return _key_path(match[1]) if match and _parsed(line) is not None else None


def _key_path(key: str) -> tuple[str, ...]:
    keys: list[str] = []
    value: object = _parsed(f"{key} = 0")
    while isinstance(value, dict) and value:
        first, value = next(iter(value.items()))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        keys.append(str(first))  # pyright: ignore[reportUnknownArgumentType]
    return tuple(keys)


def _position(text: str, offset: int) -> tuple[int, int]:
    start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset) + 1, len(text[start:offset].encode())


def _line_end(text: str, offset: int) -> int:
    end = text.find("\n", offset)
    return len(text[offset : end if end >= 0 else len(text)].rstrip()) + offset

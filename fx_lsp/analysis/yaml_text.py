"""The part of YAML that configurations are written in: mappings, lists and scalars; nothing is guessed of the rest."""

from __future__ import annotations

import re
from collections.abc import Callable
from textwrap import dedent

Value = object
"""Dictionaries, lists, strings, numbers, booleans and None."""

MAX_TEXT = 200_000
MAX_DEPTH = 40

_KEY = re.compile(r"""("[^"\\]*"|'[^']*'|[^\s\-?:,\[\]{}#&*!|>'"%@`][^#]*?|[-?:][^\s#]*?)[ ]*:(?:[ ]+(.*)|)$""")
_BLOCK = re.compile(r"[|>][+-]?$")
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9_]*)$")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?$")
_WORDS: dict[str, Value] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **{form: True for word in ("true", "yes", "on") for form in (word, word.title(), word.upper())},
    **{form: False for word in ("false", "no", "off") for form in (word, word.title(), word.upper())},
    ".inf": float("inf"),
    "-.inf": float("-inf"),
}


class NotYaml(ValueError):
    """The text is no YAML, or a kind of it that is not read here: anchors, tags, several documents."""


def read_yaml(text: str) -> Value:
    """The value that is written.

    Raises:
        NotYaml: it cannot be told.
    """
    if len(text) > MAX_TEXT:
        raise NotYaml("too long")
    reader = _Reader(text)
    return reader.document()


class _Reader:
    def __init__(self, text: str) -> None:
        self.raw = text.split("\n")
        self.lines: list[tuple[int, str, int]] = []
        """Indent, text and number of each line that says something."""
        for number, line in enumerate(self.raw):
            content = _without_comment(line.rstrip("\r"))
            stripped = content.strip()
            if stripped and not (stripped == "---" and not self.lines):
                self.lines.append((len(content) - len(content.lstrip(" ")), stripped, number))
        self.at = 0

    def document(self) -> Value:
        if not self.lines:
            return None
        value = self._block(self.lines[0][0], 0)
        if self.at < len(self.lines):
            raise NotYaml(self.lines[self.at][1])
        return value

    def _block(self, indent: int, depth: int) -> Value:
        if depth > MAX_DEPTH:
            raise NotYaml("too deep")
        content = self.lines[self.at][1]
        if content == "-" or content.startswith("- "):
            return self._list(indent, depth)
        if _KEY.match(content):
            return self._mapping(indent, depth)
        self.at += 1
        return self._scalar(content, self.lines[self.at - 1][2], indent)

    def _list(self, indent: int, depth: int) -> list[Value]:
        found: list[Value] = []
        while self._here(indent, lambda content: content == "-" or content.startswith("- ")):
            _, content, number = self.lines[self.at]
            rest = content[1:].lstrip()
            if not rest:
                self.at += 1
                found.append(self._nested(indent, depth))
                continue
            inner = indent + len(content) - len(rest)
            self.lines[self.at] = (inner, rest, number)  # `- a: 1` is a mapping that starts behind the dash
            found.append(self._block(inner, depth + 1))
        return found

    def _mapping(self, indent: int, depth: int) -> dict[Value, Value]:
        found: dict[Value, Value] = {}
        while self._here(indent, lambda content: not content.startswith("- ")):
            _, content, number = self.lines[self.at]
            match = _KEY.match(content)
            if match is None or match[1] == "<<":
                raise NotYaml(content)
            key, rest = _plain(match[1]), match[2] or ""
            self.at += 1
            if not rest:
                found[key] = self._nested(indent, depth, lists=True)
            elif _BLOCK.match(rest):
                found[key] = self._text(indent, rest, number)
            else:
                found[key] = self._scalar(rest, number, indent)
        return found

    def _here(self, indent: int, fits: Callable[[str], bool]) -> bool:
        if self.at >= len(self.lines) or self.lines[self.at][0] < indent:
            return False
        if self.lines[self.at][0] > indent:
            raise NotYaml(self.lines[self.at][1])
        return fits(self.lines[self.at][1])

    def _nested(self, indent: int, depth: int, lists: bool = False) -> Value:
        """What stands below a key or a dash; a list may stand as far left as its key."""
        if self.at >= len(self.lines):
            return None
        deeper, content, _ = self.lines[self.at]
        if deeper > indent or (lists and deeper == indent and (content == "-" or content.startswith("- "))):
            return self._block(deeper, depth + 1)
        return None

    def _text(self, indent: int, style: str, number: int) -> str:
        """`|` and `>`: the lines below as text."""
        body: list[str] = []
        for line in self.raw[number + 1 :]:
            if line.strip() and len(line) - len(line.lstrip(" ")) <= indent:
                break
            body.append(line.rstrip())
        while self.at < len(self.lines) and self.lines[self.at][2] <= number + len(body):
            self.at += 1
        joined = dedent("\n".join(body)).strip("\n")
        joined = joined if style[0] == "|" else re.sub(r"\n(?=[^\n ])", " ", joined)
        return joined if style.endswith("-") else f"{joined}\n"

    def _scalar(self, text: str, number: int, indent: int) -> Value:
        """A value on one line, or in brackets over several."""
        while text[0] in "[{" and not _closed(text):
            if self.at >= len(self.lines):
                raise NotYaml(text)
            text += " " + self.lines[self.at][1]
            self.at += 1
        if self.at < len(self.lines) and self.lines[self.at][0] > indent:
            raise NotYaml(text)  # a scalar that goes on in the next line
        return _Flow(text).whole() if text[0] in "[{" else _plain(text)


class _Flow:
    """`[1, {a: 2}]`."""

    _PART = re.compile(
        r"""\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[\[\]{},]|:(?=\s|$)"""
        r"""|(?:[^\[\]{},:"'\s]|:(?=\S)|[ ]+(?![\s\[\]{},:]))+)"""
    )

    def __init__(self, text: str) -> None:
        self.parts: list[str] = []
        at = 0
        text = text.rstrip()
        while at < len(text):
            match = self._PART.match(text, at)
            if match is None:
                raise NotYaml(text)
            self.parts.append(match[1])
            at = match.end()
        self.at = 0

    def whole(self) -> Value:
        value = self._value(0)
        if self.at != len(self.parts):
            raise NotYaml(" ".join(self.parts))
        return value

    def _take(self) -> str:
        if self.at >= len(self.parts):
            raise NotYaml("it ends inside of brackets")
        self.at += 1
        return self.parts[self.at - 1]

    def _value(self, depth: int) -> Value:
        part = self._take()
        if depth > MAX_DEPTH:
            raise NotYaml("too deep")
        if part == "[":
            found: list[Value] = []
            while not self._ends("]"):
                found.append(self._value(depth + 1))
                self._comma("]")
            return found
        if part == "{":
            pairs: dict[Value, Value] = {}
            while not self._ends("}"):
                key = _plain(self._take())
                given = self.at < len(self.parts) and self.parts[self.at] == ":"
                self.at += given
                pairs[key] = self._value(depth + 1) if given and self.parts[self.at : self.at + 1] != [","] else None
                self._comma("}")
            return pairs
        return _plain(part)

    def _ends(self, bracket: str) -> bool:
        ends = self.parts[self.at : self.at + 1] == [bracket]
        self.at += ends
        return ends

    def _comma(self, bracket: str) -> None:
        after = self.parts[self.at : self.at + 1]
        if after == [","]:
            self.at += 1
        elif after != [bracket]:
            raise NotYaml("a comma is missing")


def _plain(text: str) -> Value:
    if text[:1] == '"':
        if len(text) < 2 or text[-1] != '"' or "\\" in text or '"' in text[1:-1]:
            raise NotYaml(text)
        return text[1:-1]
    if text[:1] == "'":
        if len(text) < 2 or text[-1] != "'" or "'" in text[1:-1].replace("''", ""):
            raise NotYaml(text)
        return text[1:-1].replace("''", "'")
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in "&*!|>%@`[]{},":
        raise NotYaml(text)
    if _INT.match(text) and len(text) < 40:
        return int(text.replace("_", ""))
    if _FLOAT.match(text) and len(text) < 40 and text != ".":
        return float(text.replace("_", ""))
    if ": " in text or text.endswith(":"):
        raise NotYaml(text)
    return text


def _closed(text: str) -> bool:
    bare = re.sub(r""""(?:[^"\\]|\\.)*"|'(?:[^']|'')*'""", "", text)
    return sum(map(bare.count, "[{")) <= sum(map(bare.count, "]}"))


def _without_comment(line: str) -> str:
    if "#" not in line:
        return line
    quote = ""
    for place, character in enumerate(line):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'" and (place == 0 or line[place - 1] in " [{,:-"):
            quote = character
        elif character == "#" and (place == 0 or line[place - 1] in " \t"):
            return line[:place]
    return line

"""`[tool.fx-lsp]` of `pyproject.toml`: every mistake is one problem on its line, the rest still applies."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from itertools import islice
from typing import Any, cast

from fx_lsp.analysis.compilers import COMPILERS
from fx_lsp.analysis.mistakes import find_mistake
from fx_lsp.analysis.snapshot import Problem
from fx_lsp.analysis.source import parse_small
from fx_lsp.analysis.toml_places import Places, line_span
from fx_lsp.analysis.toml_text import TomlError, load_toml
from fx_lsp.analysis.visible import cut
from fx_lsp.model.span import Span

TABLE = ("tool", "fx-lsp")
UNTRUSTED = "does not apply: this folder is not trusted; to trust it, run `fx-lsp trust` in it"
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30}
_MEMORY = re.compile(r"(\d{1,20}(?:\.\d{1,20})?) {0,9}([A-Za-z]*)")
MAX_ENTRIES = 1000
"""Entries of one table or list."""
MAX_PROBLEMS = 100
"""Mistakes that are told."""
MAX_SIZE = (1 << 63) - 1
SEVERITIES = ("off", "hint", "information", "warning", "error")
"""What a rule may be set to."""


@dataclass(frozen=True)
class Config:
    """What a workspace asks for; the defaults are those of a workspace that asks for nothing."""

    interpreter: str | None = None
    """As written: an absolute path, or one relative to the folder of `pyproject.toml`."""
    dims: Mapping[str, int] = field(default_factory=lambda: cast("dict[str, int]", {}))
    """Sizes by dim name."""
    exclude: tuple[str, ...] = ()
    """Globs of paths relative to the root."""
    timeout: float = 20.0
    """Seconds for one trace."""
    memory: int = 4 << 30
    """Bytes for one trace."""
    read: tuple[str, ...] = ()
    """Files and folders outside the workspace that runs may read, as written: absolute, from `~`, or relative to the
    folder of `pyproject.toml`."""
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: cast("dict[str, tuple[str, ...]]", {}))
    """By absolute path of the file in whose namespace they run."""
    setup: Mapping[str, str] = field(default_factory=lambda: cast("dict[str, str]", {}))
    """Statements to run before the examples of a file, by its absolute path."""
    rewrites: str = "fx_rewrites.py"
    """File with rewrites of the workspace's own, relative to the folder of `pyproject.toml`."""
    rules: tuple[tuple[str, str, str], ...] = ()
    """Glob of paths relative to the root, id of a rule, its severity there or `off`; later ones win."""
    compilers: tuple[str, ...] = ()
    """Compilers of torch that are tried on the models."""
    programs: bool = True
    """Whether files are run as programs."""
    restricted: tuple[str, ...] = ()
    """Keys that do not apply because the workspace is not trusted."""
    spans: Mapping[tuple[str, int], Span] = field(default_factory=lambda: cast("dict[tuple[str, int], Span]", {}))
    """Where examples are written, by path and index; a file's own key under -1, that of its setup under -2."""

    def before(self, path: str, own: str) -> str:
        """All statements before an example of a file: those of the configuration, then its own."""
        return "\n".join(text for text in (self.setup.get(path, ""), own) if text)

    def severities(self, path: str) -> tuple[tuple[str, str], ...]:
        """What is wanted of the rules in a file, given relative to the root."""
        return tuple({rule: severity for glob, rule, severity in self.rules if fnmatch(path, glob)}.items())


def read_config(path: str, text: str, *, trusted: bool = True) -> tuple[Config, tuple[Problem, ...]]:
    """The configuration in the `pyproject.toml` at `path`, and its mistakes.

    Where it is not `trusted` it chooses no interpreter and gets no more than the defaults allow; a problem says so.
    The files it names are not looked at here: `plan.problems` does that.
    """
    try:
        document = load_toml(text)
    except TomlError as error:
        return Config(), (Problem(line_span(path, text, error.line), "error", "bad-config", str(error)),)
    tool = document.get("tool")
    table = cast("dict[str, Any]", tool).get("fx-lsp") if isinstance(tool, dict) else None
    if table is None:
        return Config(), ()
    return _Reader(path, text, trusted).read(table)


class _Reader:
    def __init__(self, path: str, text: str, trusted: bool) -> None:
        self.folder = os.path.dirname(path)
        self.places = Places(path, text)
        self.trusted = trusted
        self.problems: list[Problem] = []
        self.spans: dict[tuple[str, int], Span] = {}

    def read(self, table: Any) -> tuple[Config, tuple[Problem, ...]]:
        readers: dict[str, Callable[[Any], Any]] = {
            "interpreter": self._text("interpreter"),
            "dims": self._dims,
            "exclude": self._exclude,
            "timeout": self._timeout,
            "memory": self._memory,
            "read": self._read,
            "examples": self._examples,
            "setup": self._setup,
            "rewrites": self._text("rewrites"),
            "rules": self._rules,
            "compilers": self._compilers,
            "programs": self._programs,
        }
        if not isinstance(table, dict):
            self._wrong("tool.fx-lsp is a table", *TABLE)
            return Config(), tuple(self.problems)
        values: dict[str, Any] = {}
        restricted: list[str] = []
        for key, value in _entries(table):
            if key not in readers:
                self._wrong(f"unknown key {key}; known are {', '.join(readers)}", *TABLE, key)
            elif (read := readers[key](value)) is None:
                continue
            elif not self.trusted and _is_restricted(key, read):
                restricted.append(key)
                span = self.places.key_span(*TABLE, key)
                self.problems.append(Problem(span, "information", "untrusted-config", f"{key} {UNTRUSTED}"))
            else:
                values[key] = read
        return Config(**values, restricted=tuple(restricted), spans=self.spans), tuple(self.problems)

    def _wrong(self, message: str, *keys: str, span: Span | None = None) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(span or self.places.key_span(*keys), "error", "bad-config", message))

    def _programs(self, value: Any) -> bool | None:
        return value if isinstance(value, bool) else self._wrong("programs is true or false", *TABLE, "programs")

    def _text(self, key: str) -> Callable[[Any], str | None]:
        def read(value: Any) -> str | None:
            if isinstance(value, str) and value:
                return value
            self._wrong(f"{key} is a text, not {_kind(value)}", *TABLE, key)
            return None

        return read

    def _dims(self, value: Any) -> dict[str, int] | None:
        if not isinstance(value, dict):
            self._wrong(f"dims is a table of sizes, not {_kind(value)}", *TABLE, "dims")
            return None
        sizes: dict[str, int] = {}
        for name, size in _entries(value):
            if not name.isidentifier():
                self._wrong(f"{name!r} is no dim name", *TABLE, "dims", name)
            elif type(size) is not int or not 1 <= size <= MAX_SIZE:
                self._wrong(f"the size of {name} is a positive integer, not {_kind(size)}", *TABLE, "dims", name)
            else:
                sizes[name] = size
        return sizes

    def _exclude(self, value: Any) -> tuple[str, ...] | None:
        globs = _texts(value)
        if globs is None:
            self._wrong(f"exclude is a list of globs, not {_kind(value)}", *TABLE, "exclude")
        return globs

    def _timeout(self, value: Any) -> float | None:
        if type(value) in (int, float) and 0 < value < float("inf"):
            return float(value)
        self._wrong(f"timeout is a positive number of seconds, not {_kind(value)}", *TABLE, "timeout")
        return None

    def _memory(self, value: Any) -> int | None:
        match = _MEMORY.fullmatch(value.strip()) if isinstance(value, str) else None
        unit = _UNITS.get(match[2].upper()) if match else None
        if match and unit and 0 < (size := int(float(match[1]) * unit)) <= MAX_SIZE:
            return size
        self._wrong(f'memory is a text such as "4GiB", not {_kind(value)}', *TABLE, "memory")
        return None

    def _read(self, value: Any) -> tuple[str, ...] | None:
        paths = _texts(value)
        if paths is None:
            self._wrong(f"read is a list of files and folders, not {_kind(value)}", *TABLE, "read")
        return paths

    def _examples(self, value: Any) -> dict[str, tuple[str, ...]] | None:
        if not isinstance(value, dict):
            self._wrong(f"examples is a table of lists by file, not {_kind(value)}", *TABLE, "examples")
            return None
        found: dict[str, tuple[str, ...]] = {}
        for file, calls in _entries(value):
            keys = (*TABLE, "examples", file)
            path = self._path(file)
            self.spans[path, -1] = self.places.key_span(*keys)
            texts = _texts([calls] if isinstance(calls, str) else calls)
            if texts is None:
                self._wrong(f"the examples of {file} are a list of texts, not {_kind(calls)}", *keys)
                continue
            found[path] = tuple(self._good_examples(path, keys, texts))
        return found

    def _good_examples(self, path: str, keys: tuple[str, ...], texts: tuple[str, ...]) -> list[str]:
        places = self.places.strings(*keys)
        good: list[str] = []
        for number, call in enumerate(texts):
            start, end = places[number] if number < len(places) else (0, 0)
            span = self.places.span(start, end) if end else self.places.key_span(*keys)
            mistake = find_mistake(call)
            if mistake is None:
                self.spans[path, len(good)] = span
                good.append(call)
                continue
            if end and self.places.text[start + 1 : end - 1] == call:
                span = self.places.span(start + 1 + mistake.column, start + 1 + mistake.end_column)
            self._wrong(mistake.message, span=span)
        return good

    def _setup(self, value: Any) -> dict[str, str] | None:
        if not isinstance(value, dict):
            self._wrong(f"setup is a table of texts by file, not {_kind(value)}", *TABLE, "setup")
            return None
        found: dict[str, str] = {}
        for file, text in _entries(value):
            keys = (*TABLE, "setup", file)
            self.spans[self._path(file), -2] = self.places.key_span(*keys)
            if not isinstance(text, str):
                self._wrong(f"the setup of {file} is a text, not {_kind(text)}", *keys)
                continue
            if (error := parse_small(text).error) is not None:
                self._wrong(f"the setup of {file} does not parse: {error.message}", *keys)
            else:
                found[self._path(file)] = text
        return found

    def _compilers(self, value: Any) -> tuple[str, ...] | None:
        names = _texts(value)
        if names is None or not set(names) <= set(COMPILERS):
            wrong = value if names is None else next(name for name in names if name not in COMPILERS)
            self._wrong(f"compilers is a list of {', '.join(COMPILERS)}, not {_kind(wrong)}", *TABLE, "compilers")
            return None
        return tuple(dict.fromkeys(names))

    def _rules(self, value: Any) -> tuple[tuple[str, str, str], ...] | None:
        if not isinstance(value, dict):
            self._wrong(f"rules is a table of severities by rule, not {_kind(value)}", *TABLE, "rules")
            return None
        found: list[tuple[str, str, str]] = []
        for key, one in _entries(value):
            if isinstance(one, dict):
                found += [(key, rule, word) for rule, word in _entries(one) if self._is_severity(word, key, rule)]
            elif self._is_severity(one, key):
                found.append(("*", key, one))
        return tuple(found)

    def _is_severity(self, word: Any, *keys: str) -> bool:
        good = word in SEVERITIES
        if not good:
            what = f"the severity of {keys[-1]} is one of {', '.join(SEVERITIES)}, not {_kind(word)}"
            self._wrong(what, *TABLE, "rules", *keys)
        return good

    def _path(self, file: str) -> str:
        return os.path.normpath(os.path.join(self.folder, *file.split("/")))


def _is_restricted(key: str, value: Any) -> bool:
    """Whether only a trusted workspace may say so: it names what is executed or read, or asks for more than usual."""
    if key in ("timeout", "memory"):
        return value > getattr(Config, key)
    return key in ("interpreter", "read")


def _texts(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, list):
        return None
    items = cast("list[Any]", value)
    return tuple(items[:MAX_ENTRIES]) if all(isinstance(item, str) for item in items) else None


def _entries(table: Any) -> Iterable[tuple[str, Any]]:
    return islice(cast("dict[str, Any]", table).items(), MAX_ENTRIES)


def _kind(value: Any) -> str:
    names = {dict: "a table", list: "a list"}
    if type(value) is int and abs(value) > MAX_SIZE:
        return "a number so large"
    return names.get(cast("type[Any]", type(value))) or cut(repr(value), 100)

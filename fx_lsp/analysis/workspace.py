"""The files of a workspace, seen through two functions so that unsaved buffers and tests look alike."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Generator, Hashable, Iterable, Sequence
from contextlib import contextmanager
from fnmatch import translate
from functools import lru_cache
from typing import TypeVar, cast

from fx_lsp.analysis.source import Source, parsed

T = TypeVar("T")

SKIPPED_FOLDERS = frozenset(
    (
        "__pycache__",
        "__pypackages__",
        "build",
        "dist",
        "node_modules",
        "site-packages",
        "wandb",
    )
)
"""Folders never searched, besides those whose names start with a dot."""

DOCUMENTS = (".ipynb", ".md", ".rst", ".yaml", ".yml")
"""How the names of files end that hold code between other text, or what code is configured with."""

MAX_NODES = 1_500_000
"""Nodes of all trees that are kept; a node takes about half a kilobyte."""

MAX_GLOB = 1000
"""Characters of a glob."""
_PROJECT = ("pyproject.toml", ".git", "setup.py", "setup.cfg", ".hg")
"""What lies in the folder of a project: one is enough."""


class Workspace:
    """Texts and parsed sources of the files below `root`.

    `read` gives the text of a file (of its unsaved buffer where there is one), or None when there is no such file or
    it is no text.  `files` lists absolute paths of Python files and of documents; what must not be searched may be
    among them.
    """

    def __init__(self, root: str, read: Callable[[str], str | None], files: Callable[[], Iterable[str]]) -> None:
        self.root = os.path.normpath(root)
        self.parsed = 0
        """How many texts were parsed so far."""
        self._read = read
        self._files = files
        self._sources: dict[str, Source] = {}
        self._nodes = 0
        self._mentioned: dict[str, tuple[str, dict[str, bool]]] = {}
        self._memos: dict[Hashable, tuple[dict[str, str | None], object]] = {}
        self._reading: list[dict[str, str | None]] = []
        self._written: dict[str, str] = {}
        self._settled: dict[str, str | None] | None = None
        self._listed: dict[tuple[str, ...], list[str]] = {}

    @contextmanager
    def settled(self) -> Generator[None, None, None]:
        """Inside, every file is read at most once: what is concluded holds for one state of the workspace."""
        if self._settled is not None:
            yield
            return
        self._settled = {}
        try:
            yield
        finally:
            self._settled = None
            self._listed = {}

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` gives, kept until a file that it looked at changes."""
        known = self._memos.get(key)
        if known is None or not all(_same(self._current(path), text) for path, text in known[0].items()):
            self._reading.append({})
            try:
                value = make()
            finally:
                read = self._reading.pop()
            known = self._memos[key] = (read, value)
        if self._reading:
            self._reading[-1].update(known[0])
        return cast("T", known[1])

    def text(self, path: str) -> str | None:
        """The present text of a file."""
        text = self._current(path)
        if self._reading:
            self._reading[-1][path] = text
        return text

    def exists(self, path: str) -> bool:
        """Whether the file can be read."""
        return self.text(path) is not None

    def source(self, path: str) -> Source | None:
        """The parsed file; parsed again only when its text changed."""
        text = self.text(path)
        if text is None:
            return None
        known = self._sources.get(path)
        if known is None or not _same(known.text, text):
            self.parsed += 1
            known = self._kept(parsed(path, text))
        return known

    def _kept(self, source: Source) -> Source:
        """Keep it; when there are too many nodes, whatever was concluded from older ones goes with them."""
        former = self._sources.pop(source.path, None)
        self._sources[source.path] = source
        self._nodes += source.nodes - (former.nodes if former is not None else 0)
        if self._nodes > MAX_NODES:
            self._sources = {source.path: source}
            self._nodes = source.nodes
            self._memos.clear()
        return source

    def holds(self, path: str) -> bool:
        """Whether a file lies below the root, outside the folders never searched."""
        relative = self.relative(path)
        return relative != path.replace(os.sep, "/") and not is_skipped(relative)

    def relative(self, path: str) -> str:
        """The path below the root with forward slashes; the path itself when it lies elsewhere."""
        start = self.root.rstrip(os.sep) + os.sep
        inside = path[len(start) :] if path.startswith(start) else path
        return inside.replace(os.sep, "/")

    def files(self, exclude: Sequence[str] = ()) -> list[str]:
        """Python files worth searching, sorted."""
        return [path for path in self._worth_searching(exclude) if not path.endswith(DOCUMENTS)]

    def documents(self, exclude: Sequence[str] = ()) -> list[str]:
        """Notebooks, documents and configurations worth searching, sorted."""
        return [path for path in self._worth_searching(exclude) if path.endswith(DOCUMENTS)]

    def _worth_searching(self, exclude: Sequence[str]) -> list[str]:
        key = tuple(exclude)
        if self._settled is None or key not in self._listed:
            self._listed[key] = sorted({p for p in self._files() if not is_skipped(self.relative(p), exclude)})
        return self._listed[key]

    def mentioning(self, names: frozenset[str], exclude: Sequence[str] = ()) -> dict[str, frozenset[str]]:
        """Per file, which of these names its text holds as whole words; nothing is parsed."""
        found: dict[str, frozenset[str]] = {}
        for path in self.files(exclude):
            text = self.text(path)
            if text is not None and (present := frozenset(n for n in names if self._mentions(path, text, n))):
                found[path] = present
        return found

    def write(self, path: str, text: str) -> None:
        """Let a path that no file has stand for a text, such as the code in a README."""
        self._written[path] = text
        if self._settled is not None:
            self._settled.pop(path, None)

    def _current(self, path: str) -> str | None:
        if path in self._written:
            return self._written[path]
        if self._settled is None:
            return self._read(path)
        if path not in self._settled:
            self._settled[path] = self._read(path)
        return self._settled[path]

    def _mentions(self, path: str, text: str, name: str) -> bool:
        known = self._mentioned.get(path)
        if known is None or not _same(known[0], text):
            known = self._mentioned[path] = (text, {})
        answers = known[1]
        if name not in answers:
            # a plain search is many times faster than a pattern, and nearly always answers no
            answers[name] = name in text and re.search(rf"\b{re.escape(name)}\b", text) is not None
        return answers[name]


def _same(one: str | None, other: str | None) -> bool:
    return one is other or one == other


def is_skipped(relative: str, exclude: Sequence[str] = ()) -> bool:
    """Whether a path relative to the root lies in a folder never searched, or matches a glob of `exclude`."""
    folders = relative.split("/")[:-1]
    if any(folder in SKIPPED_FOLDERS or (folder.startswith(".") and folder not in (".", "..")) for folder in folders):
        return True
    parts = tuple(relative.split("/"))
    return any(_matches(_parts(pattern), parts) for pattern in exclude)


def _matches(pattern: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Whether the parts of a pattern match those of a path; one that names a folder covers what is inside.

    `**` stands for any number of folders.  Takes no more steps than there are pairs of parts.
    """
    reached = {0}
    """Numbers of parts that the pattern up to here can stand for."""
    for part in pattern:
        if part == "**":
            reached = set(range(min(reached), len(parts) + 1))
        else:
            match = _segment(part).fullmatch
            reached = {number + 1 for number in reached if number < len(parts) and match(parts[number])}
        if not reached:
            return False
    return True


@lru_cache(maxsize=256)
def _parts(pattern: str) -> tuple[str, ...]:
    return tuple(pattern.strip("/")[:MAX_GLOB].split("/"))


@lru_cache(maxsize=1024)
def _segment(part: str) -> re.Pattern[str]:
    """A part of a glob: `translate` writes each `*` so that nothing is tried twice."""
    return re.compile(translate(part))


def find_root(path: str, exists: Callable[[str], bool]) -> str | None:
    """The nearest folder upwards from `path` (a file, or a folder) that says it is a project."""
    folder = os.path.normpath(path)
    while True:
        if any(exists(os.path.join(folder, name)) for name in _PROJECT):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def package_root(folder: str, exists: Callable[[str], bool], outside: Container[str]) -> str:
    """The outermost package that a folder is, or is a part of, as far as none of `outside` is reached; else the folder.

    Only folders that all have an `__init__.py`: what else is around it is nothing that its imports lead to.
    """
    while exists(os.path.join(folder, "__init__.py")):
        above = os.path.dirname(folder)
        if above in outside or above == folder or not exists(os.path.join(above, "__init__.py")):
            break
        folder = above
    return folder

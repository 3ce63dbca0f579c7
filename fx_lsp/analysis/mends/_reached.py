"""The files in which a number may be written that a failure comes from: those that led to it, and what these import."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable, Iterable, Iterator

from fx_lsp.analysis.source import Source, parsed

MAX_FILES = 12
"""Each is read."""
MAX_ABOVE = 3
"""Folders above a file in which what it imports may lie."""
Files = Callable[[], tuple[Source, ...]]
"""Read when somebody looks at them."""


def none() -> tuple[Source, ...]:
    """No files."""
    return ()


def reached(paths: Iterable[str], read: Callable[[str], str | None]) -> tuple[Source, ...]:
    """The files with these paths, then what they import from beside or above them, the nearest first."""
    queue, found = list(dict.fromkeys(paths)), dict[str, Source]()
    seen = set(queue)
    while queue and len(found) < MAX_FILES:
        path = queue.pop(0)
        text = read(path)
        if not text:
            continue
        found[path] = parsed(path, text)
        new = [one for one in _imported(found[path], read) if one not in seen]
        seen.update(new)
        queue += new
    return tuple(found.values())


def _imported(source: Source, read: Callable[[str], str | None]) -> Iterator[str]:
    for one in source.every(ast.Import):
        for name in one.names:
            yield from _files(source.path, name.name, 0, read)
    for one in source.every(ast.ImportFrom):
        yield from _files(source.path, one.module or "", one.level, read)
        for name in one.names:
            inner = ".".join(filter(None, (one.module, name.name)))
            yield from _files(source.path, inner, one.level, read)


def _files(path: str, module: str, level: int, read: Callable[[str], str | None]) -> Iterator[str]:
    """The first file there is of a module."""
    folder, parts = os.path.dirname(path), module.split(".") if module else []
    if not level and (not parts or parts[0] in sys.stdlib_module_names or parts[0] == "torch"):
        return
    for _ in range(level - 1):
        folder = os.path.dirname(folder)
    bases = [folder]
    for _ in range(0 if level else MAX_ABOVE):
        bases.append(os.path.dirname(bases[-1]))
    for base in bases:
        stem = os.path.join(base, *parts)
        for candidate in (f"{stem}.py", os.path.join(stem, "__init__.py")):
            if read(candidate):
                yield candidate
                return

"""Instrumented code of workspace files, made by the zygote while it waits and inherited by the children it forks.

Nothing of it is run in the zygote.  A package of many files is instrumented once, not in every trace.
"""

from __future__ import annotations

import ast
import os
import stat
import sys
from collections import deque
from importlib.util import decode_source
from types import CodeType
from typing import Deque, Dict, Iterable, NamedTuple, Optional, Tuple

from fx_lsp.worker.capture.parts import Part, Parts, alone, behind, edited, instrument, whole
from fx_lsp.worker.capture.sites import Sites

MAX_FILES = 4000
MAX_BYTES = 256 << 10
"""Size of a file that is prepared; a larger one would keep the zygote from its work for too long."""


class _File(NamedTuple):
    version: Tuple[int, int]
    """Time of change in nanoseconds, size."""
    parts: Parts


class Prepared:
    """What is ready, and what waits to be made ready."""

    def __init__(self) -> None:
        self.sites = Sites()
        self.made = 0
        """Files that were made ready so far; who was forked before the last one lacks it."""
        self._files: Dict[str, _File] = {}
        self._waiting: Deque[str] = deque()
        self._rests: Dict[Tuple[str, int, int], Tuple[str, ast.stmt, Tuple[Part, ...]]] = {}

    def want(self, root: str, paths: Iterable[str]) -> None:
        """Queue the files below `root` that are new or have changed; the names may come from a hostile run."""
        inside = os.path.join(os.path.realpath(root), "")
        for path in paths:
            fits = "\0" not in path and os.path.realpath(path).startswith(inside)
            if fits and path not in self._waiting and self._version(path) is not None:
                self._waiting.append(path)

    @property
    def waits(self) -> bool:
        """Whether files are queued."""
        return bool(self._waiting)

    def step(self) -> bool:
        """Prepare one file; False when none is waiting."""
        if not self._waiting:
            return False
        path = self._waiting.popleft()
        version = self._version(path)
        if version is not None:
            try:
                with open(path, "rb") as file:
                    source = decode_source(file.read(MAX_BYTES + 1))
                self._files[path] = _File(version, instrument(source, path, self.sites))
                self.made += 1
            except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
                # Whoever imports the file is told; here it is only not ready.
                print(f"fx-lsp: not prepared: {path}: {type(error).__name__}", file=sys.stderr)
        return bool(self._waiting)

    def known(self, path: str) -> Optional[Parts]:
        """A file as it is ready, if it is."""
        ready = self._files.get(path)
        return ready.parts if ready is not None else None

    def parts(self, path: str, source: str) -> Tuple[Part, ...]:
        """The code for a source text.

        Raises:
            SyntaxError: as `compile` does.
        """
        return self.file(path, source).parts

    def file(self, path: str, source: str) -> Parts:
        """A file with this source text: as much as is ready of it, the rest made now.

        Raises:
            SyntaxError: as `compile` does.
        """
        ready = self._files.get(path)
        if ready is None:  # kept, so that a program which is run again has the same sites
            ready = self._files[path] = _File((0, 0), instrument(source, path, self.sites))
        if ready.parts.source != source:  # kept, since its sites are moved: a file may be imported twice
            ready = self._files[path] = ready._replace(parts=edited(ready.parts, source, path, self.sites))
        return ready.parts

    def behind(self, part: Part, line: int, path: str) -> Tuple[ast.stmt, Tuple[Part, ...]]:
        """The statement of a part that is at a line, and those behind it in the part, each by itself."""
        source, place = self.sites.sources[path], (path, part.line, line)
        if place not in self._rests or self._rests[place][0] != source:
            statement, rest, flags = behind(part, line, source)
            self._rests[place] = source, statement, alone(rest, source, path, self.sites, flags)
        return self._rests[place][1:]

    def whole(self, path: str, source: str) -> CodeType:
        """The code for a source text in one piece.

        Raises:
            SyntaxError: as `compile` does.
        """
        return whole(source, path, self.sites)

    def _version(self, path: str) -> Optional[Tuple[int, int]]:
        """What the file is now; None when it is ready as it is, or cannot be prepared."""
        try:
            found = os.stat(path)
        except (OSError, ValueError):
            return None
        version = (found.st_mtime_ns, found.st_size)
        ready = self._files.get(path)
        known = ready is not None and ready.version == version
        regular = stat.S_ISREG(found.st_mode) and found.st_size <= MAX_BYTES
        return version if regular and not known and len(self._files) < MAX_FILES else None


PREPARED = Prepared()
"""Of this process."""

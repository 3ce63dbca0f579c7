"""Places in an answer that is not to be trusted: only regular files of the workspace, only lines that a file can have.

A run knows files by their real names; they come out under the names that the server knows them by.
"""

from __future__ import annotations

import os
import stat
from dataclasses import replace

from fx_lsp.model.messages import TraceRequest
from fx_lsp.model.span import Span

MOST = 4000
"""Distinct paths that are looked at."""
LONGEST = 4096
"""Characters of a path."""
IN_ALL = 1 << 20
"""Characters of all paths: to find out the real name of one takes a look at the disk for each folder in it."""
LAST = 10_000_000
"""The last line and the last column that there are."""


class Places:
    """Of one answer."""

    def __init__(self, request: TraceRequest) -> None:
        self._root = request.root.rstrip(os.sep)
        self._real_root = _real(self._root) or self._root
        self._known = {
            real: path
            for path in (*(overlay.path for overlay in request.overlays), request.scope)
            if (real := _real(path)) is not None
        }
        self._folders: dict[str, str | None] = {}
        self._paths: dict[str, str | None] = {}
        self._left = IN_ALL

    def path(self, path: str) -> str | None:
        """The server's name of a file; None when it is none that the run may speak of."""
        if path not in self._paths:
            self._left -= len(path)
            if len(self._paths) >= MOST or self._left < 0:
                return None
            self._paths[path] = self._judged(path)
        return self._paths[path]

    def inside(self, path: str) -> str | None:
        """The server's name of what may lie in the workspace, be it there or not; a last separator stays."""
        bare = path.rstrip(os.sep)
        self._left -= len(path)
        real = self._real(bare) if os.path.isabs(path) and self._left >= 0 else None
        if real is None or not (real == self._real_root or real.startswith(self._real_root + os.sep)):
            return None
        return self._root + real[len(self._real_root) :] + (os.sep if bare != path else "")

    def span(self, span: Span) -> Span | None:
        """The place, its end not before its start; None when there is no such file."""
        path = self.path(span.path)
        if path is None or not (1 <= span.line <= LAST and 0 <= span.column <= LAST):
            return None
        start, end = (span.line, span.column), (span.end_line, span.end_column)
        if start <= end and span.end_line <= LAST and 0 <= span.end_column <= LAST:
            return span if path == span.path else replace(span, path=path)
        return Span(path, *start, *start)

    def _judged(self, path: str) -> str | None:
        real = self._real(path) if os.path.isabs(path) else None
        if real is None:
            return None
        if real in self._known:
            return self._known[real]
        if not real.startswith(self._real_root + os.sep):
            return None
        try:
            regular = stat.S_ISREG(os.stat(real).st_mode)
        except OSError:
            return None
        return self._root + real[len(self._real_root) :] if regular else None

    def _real(self, path: str) -> str | None:
        """As the function; the folder of many files is looked at once."""
        folder, name = os.path.split(path)
        if folder not in self._folders:
            self._folders[folder] = _real(folder)
        real = self._folders[folder]
        return _real(os.path.join(real, name)) if real is not None else None


def _real(path: str) -> str | None:
    """The real name; None when nothing can have this one."""
    try:
        return os.path.realpath(path) if len(path) <= LONGEST else None
    except (OSError, ValueError):
        return None

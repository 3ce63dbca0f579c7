"""Texts of files: unsaved buffers laid over the disk, and the folders they lie in."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator

from fx_lsp.analysis.source import SourceError, decode
from fx_lsp.model.messages import Overlay

MAX_BYTES = 8 << 20
"""A larger file is not source that somebody wrote."""

MAX_FILES = 20_000
"""Python files looked at below one root; what lies beyond is found only when it is opened or imported."""

_SKIPPED = frozenset({"__pycache__", "node_modules", "site-packages"})


class Unreadable(Exception):
    """The file has no text to show; the message says why in one sentence.  `code` names the problem."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Texts:
    """What a file says right now.  Used from the event loop and from the thread that analyses."""

    def __init__(self) -> None:
        self._open: dict[str, str] = {}
        self._disk: dict[str, tuple[tuple[int, int], str | Unreadable]] = {}
        self._digests: dict[str, tuple[str, str]] = {}

    def open(self, path: str, text: str) -> None:
        """The editor's buffer holds from now on, not the disk."""
        self._open[path] = text

    def close(self, path: str) -> None:
        """The disk holds again."""
        self._open.pop(path, None)

    def exists(self, path: str) -> bool:
        """Whether there is a buffer or anything on disk at `path`."""
        return path in self._open or os.path.exists(path)

    def read(self, path: str) -> str | None:
        """The text, or None when the file is missing, unreadable or not text."""
        try:
            return self.load(path)
        except Unreadable:
            return None

    def load(self, path: str) -> str:
        """The text.

        Raises:
            Unreadable: there is none.
        """
        text = self._open.get(path)
        return text if text is not None else self._from_disk(path)

    def digest(self, path: str) -> str:
        """Hash of the text; empty when there is none."""
        text = self.read(path)
        if text is None:
            return ""
        kept = self._digests.get(path)
        if kept is None or kept[0] is not text:
            kept = text, hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
            self._digests[path] = kept
        return kept[1]

    def overlays(self) -> tuple[Overlay, ...]:
        """The buffers that differ from the disk, by path."""
        return tuple(Overlay(path, text) for path, text in sorted(self._open.items()) if not self._saved(path, text))

    def _saved(self, path: str, text: str) -> bool:
        try:
            return self._from_disk(path) == text
        except Unreadable:
            return False

    def _from_disk(self, path: str) -> str:
        try:
            status = os.stat(path)
            stamp = status.st_mtime_ns, status.st_size
            kept = self._disk.get(path)
            if kept is None or kept[0] != stamp:
                kept = self._disk[path] = stamp, _load(path, status.st_size)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise Unreadable("unreadable", f"This file cannot be read: {reason}.") from None
        if isinstance(kept[1], Unreadable):
            raise kept[1]
        return kept[1]


def _load(path: str, size: int) -> str | Unreadable:
    if size > MAX_BYTES:
        return Unreadable("unreadable", f"This file is larger than {MAX_BYTES >> 20} MiB and is not analysed.")
    with open(path, "rb") as stream:
        data = stream.read(MAX_BYTES + 1)
    try:
        return decode(data)
    except SourceError as error:
        return Unreadable("not-utf-8", str(error))


def python_files(root: str) -> Iterator[str]:
    """Python files below `root`, sorted within each folder; without hidden folders, caches and environments."""
    count = 0
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if _entered(folder, name))
        for name in sorted(files):
            if name.endswith(".py"):
                yield os.path.join(folder, name)
                count += 1
                if count >= MAX_FILES:
                    return


def _entered(folder: str, name: str) -> bool:
    if name.startswith(".") or name in _SKIPPED:
        return False
    return not os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))

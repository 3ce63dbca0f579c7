"""The disk of a stranger: the only way in which the server reads a file of a workspace, and lists its folders.

Nothing here waits for a pipe or a device, follows a loop, or reads more than it was told to.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from fx_lsp.analysis.workspace import DOCUMENTS

MAX_FILES = 20_000
"""Python files looked at below one root; what lies beyond is found only when it is opened or imported."""
MAX_ENTRIES = 400_000
"""Entries of folders looked at to find them."""
MAX_LISTED = 4 << 20
"""Bytes of one listed file."""
MAX_TOTAL = 512 << 20
"""Bytes of all listed files: to search them, all are read."""
MAX_NAMES = 10_000
"""Names in one folder that are looked at to tell whether it has changed."""
MAX_DOCUMENTS = 2_000
"""Notebooks and documents looked at below one root."""
MAX_DOCUMENTED = 64 << 20
"""Bytes of all of these."""
MAX_PATH = 2000
"""Characters of a path; what lies deeper is not looked for."""

_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"))
_SKIPPED = frozenset({"__pycache__", "node_modules", "site-packages"})

Stamp = tuple[int, int, int]
"""Tells versions of a file apart."""


class NotAFile(OSError):
    """There is something else under that name: a folder, a pipe, a socket, a device."""


class TooLarge(OSError):
    """The file is larger than what was asked for."""


def stamp(path: str) -> Stamp:
    """The version of a regular file.

    Raises:
        OSError: there is none.
        ValueError: no file can be called so.
    """
    return _stamp(os.stat(path))


def mark(path: str) -> str:
    """Tells versions apart of what has no text; empty when nothing is there.

    Of a folder that is written with a separator at its end these are the names in it, else that it is one.
    """
    try:
        if path.endswith(os.sep):
            names = sorted(entry.name for entry in islice(_entries(path), MAX_NAMES))
            return hashlib.blake2b("/".join(names).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
        status = os.stat(path)
    except (OSError, ValueError):
        return ""
    return f"{status.st_mtime_ns}-{status.st_size}" if stat.S_ISREG(status.st_mode) else "no file"


def start(path: str, limit: int) -> bytes:
    """The first `limit` bytes of a regular file.

    Raises:
        OSError: there is none, or it cannot be read.
        ValueError: no file can be called so.
    """
    stamp(path)
    descriptor = os.open(path, _FLAGS)
    try:
        _stamp(os.fstat(descriptor))
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            return stream.read(limit)
    finally:
        os.close(descriptor)


def read(path: str, limit: int) -> tuple[bytes, Stamp]:
    """All of a regular file of at most `limit` bytes, and its version before it was read.

    No more is read than the file says it holds: those that the kernel makes up (`/proc/self/environ`) say nothing.

    Raises:
        OSError: there is none, or it cannot be read.
        ValueError: no file can be called so.
    """
    stamp(path)  # to open a device may already do something to it
    descriptor = os.open(path, _FLAGS)
    try:
        version = _stamp(os.fstat(descriptor))
        size = version[1]
        if size > limit:
            raise TooLarge(0, "it is too large")
        parts: list[bytes] = []
        while size > 0 and (part := os.read(descriptor, min(size, 1 << 20))):
            parts.append(part)
            size -= len(part)
    finally:
        os.close(descriptor)
    return b"".join(parts), version


def _stamp(status: os.stat_result) -> Stamp:
    if not stat.S_ISREG(status.st_mode):
        raise NotAFile(0, "it is a folder" if stat.S_ISDIR(status.st_mode) else "it is no regular file")
    return status.st_mtime_ns, status.st_size, status.st_ino


def python_files(root: str) -> Iterator[str]:
    """The Python files among the `listed_files`."""
    return (path for path in listed_files(root) if path.endswith(".py"))


def listed_files(root: str) -> Iterator[str]:
    """Python files and documents below `root`, sorted within each folder; without hidden folders, caches and
    environments, and without names that no editor could show."""
    folders = [root]
    entries = 0
    code, documents = _Room(MAX_FILES, MAX_TOTAL), _Room(MAX_DOCUMENTS, MAX_DOCUMENTED)
    while folders:
        folder = folders.pop()
        inner: list[str] = []
        files: list[str] = []
        for entry in _entries(folder):
            entries += 1
            if entries > MAX_ENTRIES:
                break
            if not entry.name.isprintable() or len(entry.path) > MAX_PATH:
                continue
            room = code if entry.name.endswith(".py") else documents if entry.name.endswith(DOCUMENTS) else None
            if room is not None and (size := _size(entry)) is not None:
                if room.take(size):
                    files.append(entry.path)
            elif _is_folder(entry) and _entered(folder, entry.name):
                inner.append(entry.path)
        yield from sorted(files)
        if not code.files:
            return
        folders.extend(sorted(inner, reverse=True))


@dataclass
class _Room:
    """How many files, and how many bytes, may still be listed."""

    files: int
    size: int

    def take(self, size: int) -> bool:
        if self.files <= 0 or self.size < size:
            return False
        self.files -= 1
        self.size -= size
        return True


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            yield from found
    except OSError:
        return  # it may have gone, or be somebody else's


def _size(entry: os.DirEntry[str]) -> int | None:
    """Bytes of a regular file that may be listed; None for anything else."""
    try:
        status = entry.stat()
    except OSError:
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) and status.st_size <= MAX_LISTED else None


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _entered(folder: str, name: str) -> bool:
    if name.startswith(".") or name in _SKIPPED:
        return False
    return not os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))

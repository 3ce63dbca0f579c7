"""The folder that stands for HOME, in which nothing can be written.

Packages make folders for their settings and logs there when they are imported, and do without what they read there,
but seldom without what they write.  So a folder that cannot be made in it counts as made, and what is written to a file
in it goes nowhere, to be moved and removed like any other.  Python's search for a library is one of them: it asks a
compiler, by way of a temporary file.  A program makes folders and files wherever it likes.
"""

from __future__ import annotations

import builtins
import io
import os
import tempfile
from typing import Any, Callable, List

_homes: List[str] = []


def pretend(home: str) -> None:
    """From now on, in this process."""
    if not home or _homes:
        return
    _homes.append(os.path.realpath(home))
    make, take = os.mkdir, builtins.open

    def mkdir(path: Any, mode: int = 0o777, *, dir_fd: Any = None) -> None:
        try:
            make(path, mode, dir_fd=dir_fd)
        except (PermissionError, FileNotFoundError):
            if dir_fd is not None or not _is_in_home(path):
                raise

    def opened(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        try:
            return take(file, mode, *args, **kwargs)
        except (PermissionError, FileNotFoundError):
            if not set(mode) & set("wax") or not _is_in_home(file):
                raise
            return take(os.devnull, mode.replace("x", "w"), *args, **kwargs)

    os.mkdir, builtins.open, io.open = mkdir, opened, opened
    os.open, unlink = _opening(os.open), os.unlink
    for name in ("replace", "rename", "unlink", "remove"):
        setattr(os, name, _moving(getattr(os, name)))
    for method in vars(getattr(tempfile, "_TemporaryFileCloser", object)).values():  # which keeps it as a default
        if unlink in (getattr(method, "__defaults__", None) or ()):
            method.__defaults__ = tuple(os.unlink if one is unlink else one for one in method.__defaults__)


def _opening(take: Callable[..., int]) -> Callable[..., int]:
    """`os.open`, which temporary files are made with."""

    def open(path: Any, flags: int, *args: Any, **kwargs: Any) -> int:
        try:
            return take(path, flags, *args, **kwargs)
        except (PermissionError, FileNotFoundError):
            if not flags & (os.O_WRONLY | os.O_RDWR) or not _is_in_home(path):
                raise
            return take(os.devnull, flags & (os.O_WRONLY | os.O_RDWR | getattr(os, "O_CLOEXEC", 0)))

    return open


def _moving(take: Callable[..., None]) -> Callable[..., None]:
    """What was written is not there to be moved, or removed."""

    def move(*paths: Any, **kwargs: Any) -> None:
        try:
            take(*paths, **kwargs)
        except (PermissionError, FileNotFoundError):
            if not all(map(_is_in_home, paths)):
                raise

    return move


def pretend_everywhere() -> None:
    """From now on folders that are made anywhere count as made, and what is written to any file goes nowhere."""
    take = builtins.open

    def mkdir(path: Any, mode: int = 0o777, *, dir_fd: Any = None) -> None:
        """Does nothing."""

    def opened(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        writes = bool(set(mode) & set("wax+")) and not isinstance(file, int)
        return take(os.devnull if writes else file, mode.replace("x", "w"), *args, **kwargs)

    os.mkdir, builtins.open, io.open = mkdir, opened, opened


def _is_in_home(path: Any) -> bool:
    """Whether the path is, or lies in, a folder that only stands for HOME."""
    try:
        text = os.path.join(os.path.realpath(os.fsdecode(path)), "")
    except (TypeError, ValueError, OSError):
        return False
    return any(text.startswith(os.path.join(home, "")) for home in _homes)

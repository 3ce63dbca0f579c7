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
_WRITING = os.O_WRONLY | os.O_RDWR


def pretend(home: str) -> None:
    """From now on, in this process."""
    if not home or _homes:
        return
    _homes.append(os.path.realpath(home))
    unlink = os.unlink
    os.mkdir = _or(os.mkdir, _nothing, _of_home)
    builtins.open = io.open = _or(builtins.open, _nowhere(builtins.open), _writes_home)
    os.open = _or(os.open, _no_descriptor(os.open), _asks_home)  # which temporary files are made with
    for name in ("replace", "rename", "unlink", "remove"):  # what was written is not there to be moved
        setattr(os, name, _or(getattr(os, name), _nothing, _of_home))
    for method in vars(getattr(tempfile, "_TemporaryFileCloser", object)).values():  # which keeps it as a default
        if unlink in (getattr(method, "__defaults__", None) or ()):
            method.__defaults__ = tuple(os.unlink if one is unlink else one for one in method.__defaults__)


def _or(take: Callable[..., Any], instead: Callable[..., Any], concerns: Callable[..., bool]) -> Callable[..., Any]:
    """`take`, and `instead` where that is not possible and the call concerns what only stands for HOME."""

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return take(*args, **kwargs)
        except (PermissionError, FileNotFoundError):
            if not concerns(*args, **kwargs):
                raise
            return instead(*args, **kwargs)

    return call


def _nothing(*args: Any, **kwargs: Any) -> None:
    """As if it had been done."""


def _of_home(*paths: Any, dir_fd: Any = None, **named: Any) -> bool:
    return dir_fd is None and all(_is_in_home(one) for one in (*paths, *named.values()) if not isinstance(one, int))


def _writes_home(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> bool:
    return bool(set(mode) & set("wax")) and _is_in_home(file)


def _nowhere(take: Callable[..., Any]) -> Callable[..., Any]:
    """`open` of what leads nowhere."""

    def opened(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        return take(os.devnull, mode.replace("x", "w"), *args, **kwargs)

    return opened


def _asks_home(path: Any, flags: int, *args: Any, **kwargs: Any) -> bool:
    return bool(flags & _WRITING) and _is_in_home(path)


def _no_descriptor(take: Callable[..., int]) -> Callable[..., int]:
    """`os.open` of it."""

    def opened(path: Any, flags: int, *args: Any, **kwargs: Any) -> int:
        return take(os.devnull, flags & (_WRITING | getattr(os, "O_CLOEXEC", 0)))

    return opened


def pretend_everywhere() -> None:
    """From now on folders that are made anywhere count as made, and what is written to any file goes nowhere."""
    take = builtins.open
    nowhere = _nowhere(take)

    def opened(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        writes = bool(set(mode) & set("wax+")) and not isinstance(file, int)
        return (nowhere if writes else take)(file, mode, *args, **kwargs)

    os.mkdir = _nothing
    builtins.open = io.open = opened


def _is_in_home(path: Any) -> bool:
    """Whether the path is, or lies in, a folder that only stands for HOME."""
    try:
        text = os.path.join(os.path.realpath(os.fsdecode(path)), "")
    except (TypeError, ValueError, OSError):
        return False
    return any(text.startswith(os.path.join(home, "")) for home in _homes)

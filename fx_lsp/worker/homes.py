"""The folder that stands for HOME, in which nothing can be written.

Packages make folders for their settings there when they are imported, and go without when a file of theirs is missing,
but seldom without the folder.  So a folder that cannot be made in it counts as made; files still cannot be written.
"""

from __future__ import annotations

import os
from typing import Any, List

_homes: List[str] = []


def pretend(home: str) -> None:
    """From now on, in this process."""
    if not home or _homes:
        return
    _homes.append(os.path.realpath(home))
    make = os.mkdir

    def mkdir(path: Any, mode: int = 0o777, *, dir_fd: Any = None) -> None:
        try:
            make(path, mode, dir_fd=dir_fd)
        except (PermissionError, FileNotFoundError):
            if dir_fd is not None or not is_in_home(path):
                raise

    os.mkdir = mkdir


def is_in_home(path: Any) -> bool:
    """Whether the path lies in a folder that only stands for HOME."""
    try:
        text = os.path.realpath(os.fsdecode(path))
    except (TypeError, ValueError, OSError):
        return False
    return any(text.startswith(os.path.join(home, "")) for home in _homes)

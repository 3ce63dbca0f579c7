"""Which Python runs the user's models.  Found by looking at files; an interpreter is never run to ask it something."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

LAYOUTS = ("bin/python", "bin/python3", "Scripts/python.exe", "python.exe")
"""Where an environment keeps its interpreter: POSIX, Windows, conda on Windows."""


@dataclass(frozen=True)
class Interpreter:
    """An interpreter and the reason for it."""

    path: str
    """Absolute; not made real, since a virtual environment is known by its link."""
    why: str
    """For the log and for messages: `setting`, `VIRTUAL_ENV`, `.venv`…"""


def find_interpreter(root: str, configured: str | None, environment: Mapping[str, str]) -> Interpreter:
    """The first of: the setting, `VIRTUAL_ENV`, `.venv` or `venv` in `root`, `CONDA_PREFIX`, the server's own.

    A setting is taken at its word even where nothing is there: starting it then says what is wrong.
    """
    if configured:
        return Interpreter(_configured(root, configured, environment), "setting")
    for folder, why in _environments(root, environment):
        path = _interpreter_in(folder)
        if path is not None:
            return Interpreter(path, why)
    return Interpreter(sys.executable, "the server's own")


def _environments(root: str, environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if environment.get("VIRTUAL_ENV"):
        yield os.path.join(root, environment["VIRTUAL_ENV"]), "VIRTUAL_ENV"
    for name in (".venv", "venv"):
        yield os.path.join(root, name), name
    if environment.get("CONDA_PREFIX"):
        yield os.path.join(root, environment["CONDA_PREFIX"]), "CONDA_PREFIX"


def _configured(root: str, configured: str, environment: Mapping[str, str]) -> str:
    """A path, from the workspace folder; the folder of an environment; or a command on the search path."""
    path = os.path.join(root, os.path.expanduser(configured))
    if os.path.isdir(path):
        return _interpreter_in(path) or path
    if os.path.basename(configured) == configured and not os.path.exists(path):
        return shutil.which(configured, path=environment.get("PATH")) or path
    return os.path.normpath(path)


def _interpreter_in(folder: str) -> str | None:
    for layout in LAYOUTS:
        path = os.path.normpath(os.path.join(folder, *layout.split("/")))
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None

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
    passed_over: str = ""
    """One of the workspace that would have been taken if the workspace were trusted."""


def find_interpreter(
    root: str, configured: str | None, environment: Mapping[str, str], *, trusted: bool = True
) -> Interpreter:
    """The first of: the setting, `VIRTUAL_ENV`, `.venv` or `venv` in `root`, `CONDA_PREFIX`, the server's own.

    A setting is taken at its word even where nothing is there: starting it then says what is wrong.  Of a root that is
    not `trusted` no interpreter inside it is found: it is code of the workspace.
    """
    if configured:
        return Interpreter(_configured(root, configured, environment, trusted), "setting")
    passed_over = ""
    for folder, why in _environments(root, environment):
        path = _interpreter_in(folder)
        if path is not None and not trusted and _lies_in(path, root):
            passed_over = passed_over or path
        elif path is not None:
            return Interpreter(path, why, passed_over)
    return Interpreter(sys.executable, "the server's own", passed_over)


def _lies_in(path: str, root: str) -> bool:
    """Whether the workspace could have brought it along: as it is named, or as its links lead."""
    places = ((path, root), (os.path.realpath(path), os.path.realpath(root)))
    return any(one.startswith(folder.rstrip(os.sep) + os.sep) for one, folder in places)


def _environments(root: str, environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if environment.get("VIRTUAL_ENV"):
        yield os.path.join(root, environment["VIRTUAL_ENV"]), "VIRTUAL_ENV"
    for name in (".venv", "venv"):
        yield os.path.join(root, name), name
    if environment.get("CONDA_PREFIX"):
        yield os.path.join(root, environment["CONDA_PREFIX"]), "CONDA_PREFIX"


def _configured(root: str, configured: str, environment: Mapping[str, str], trusted: bool) -> str:
    """A path, from the workspace folder; the folder of an environment; or a command on the search path.

    A name alone is always the command where the workspace is not trusted: it could bring along a file of that name.
    """
    path = os.path.join(root, os.path.expanduser(configured))
    command = os.path.basename(configured) == configured
    if os.path.isdir(path) and (trusted or not command):
        return _interpreter_in(path) or path
    if command and not (trusted and os.path.exists(path)):
        return shutil.which(configured, path=environment.get("PATH")) or (path if trusted else configured)
    return os.path.normpath(path)


def _interpreter_in(folder: str) -> str | None:
    for layout in LAYOUTS:
        path = os.path.normpath(os.path.join(folder, *layout.split("/")))
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None

"""Which folder a file belongs to, and which interpreter is wished for there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import PurePath

from fx_lsp.analysis.workspace import find_root, package_root


class Roots:
    """The folders that were opened, and the root of every file that was asked for."""

    def __init__(self, exists: Callable[[str], bool]) -> None:
        self._exists = exists
        self._opened: list[str] = []
        self._roots: dict[str, str] = {}
        self.interpreters: Mapping[str, str] = {}
        """The setting `fx-lsp.interpreter` of each folder of the workspace, where the client has one for each."""

    def open(self, folder: str) -> None:
        """It is the root of what lies in it and has no nearer one."""
        self._opened.append(folder)
        self.forget()

    def close(self, folder: str) -> None:
        """It left the workspace."""
        self._opened = [opened for opened in self._opened if opened != folder]
        self.forget()

    def forget(self) -> None:
        """Folders came or went: look again."""
        self._roots.clear()

    def of(self, path: str) -> str:
        """The nearest folder upwards that says it is one, else the innermost that was opened, else the file's own."""
        root = self._roots.get(path)
        if root is None:
            opened = [folder for folder in self._opened if is_below(path, folder)]
            root = find_root(path, self._exists) or max(opened, key=len, default=os.path.dirname(path))
            self._roots[path] = root
        return root

    def interpreter(self, root: str, default: str) -> str:
        """The one of the innermost folder of the workspace around a root, else the `default`."""
        around = [folder for folder in self.interpreters if root == folder or is_below(root, folder)]
        return self.interpreters[max(around, key=len)] if around else default


def is_below(path: str, folder: str) -> bool:
    """Whether the path lies in the folder, at any depth."""
    return path.startswith(folder.rstrip(os.sep) + os.sep)


def root_of(path: str) -> str:
    """The root of an absolute path that a command is given: the nearest folder that says it is one, else the package
    that it is a part of, to which its imports lead, else the folder itself."""
    inside = os.path.join(path, "_.py") if os.path.isdir(path) else path
    return find_root(inside, os.path.exists) or package_root(os.path.dirname(inside), os.path.exists, _outside())


def _outside() -> list[str]:
    """Folders that are no package, whatever lies in them: the home, the one for temporary files, and those above."""
    places = [os.path.expanduser("~"), tempfile.gettempdir()]
    return [str(one) for place in places for one in (PurePath(place), *PurePath(place).parents)]

"""Under which names the files of a workspace are imported."""

from __future__ import annotations

import os
import re
from typing import List, Tuple

_RELATIVE = re.compile(rb"^\s*from\s+(\.+)[\w.]*\s+import\b", re.MULTILINE)


def module_name(path: str, root: str) -> Tuple[str, List[str]]:
    """Dotted name of a file and the folders to be searched for it, first one first.

    A file of a package is named from its topmost package, also where a folder between two packages is none: one of the
    workspace, or one around it that what lies beside the file imports from.  Any other is named by its path below the
    workspace, as `python -m` would; its own folder is searched too, as for a script.
    """
    root = root.rstrip(os.sep)
    folder, file = os.path.split(path)
    top, packages = _beyond_packages(folder, root)
    parts = packages if file == "__init__.py" else [*packages, os.path.splitext(file)[0]]
    outer, names = _beyond_packages(os.path.dirname(top), root)
    beyond = bool(names) and not os.path.join(outer, "").startswith(os.path.join(root, ""))
    if beyond and os.path.basename(top).isidentifier() and _highest_import(folder) > len(packages):
        return ".".join([*names, os.path.basename(top), *parts]), list(dict.fromkeys([outer, root, top]))
    if top != folder:
        between = os.path.relpath(top, root).split(os.sep) if top.startswith(root + os.sep) else []
        for number in range(1, len(between)):
            if os.path.exists(os.path.join(root, *between[:number], "__init__.py")):
                outer = os.path.join(root, *between[: number - 1])
                return ".".join([*between[number - 1 :], *parts]), list(dict.fromkeys([outer, root, top]))
        return ".".join(parts), list(dict.fromkeys([top, root]))
    below = os.path.relpath(folder, root).split(os.sep) if folder != root else []
    if below[:1] == ["src"] and len(below) > 1:
        below, root = below[1:], os.path.join(root, "src")
    if all(part.isidentifier() for part in below):
        return ".".join([*below, *parts]), list(dict.fromkeys([root, folder]))
    return parts[0], list(dict.fromkeys([folder, root]))


def package_name(root: str) -> str:
    """Dotted name of a workspace that is a package itself; empty when it is none."""
    root = root.rstrip(os.sep)
    return ".".join(_beyond_packages(root, root)[1])


def _beyond_packages(folder: str, root: str) -> Tuple[str, List[str]]:
    """The nearest folder upwards that is no package, and the names of those below it, the outermost first."""
    names: List[str] = []
    while _is_package(folder, root):
        folder, name = os.path.split(folder)
        names.insert(0, name)
    return folder, names


def _highest_import(folder: str) -> int:
    """How many packages up the relative imports of the files of a folder go, its own package being the first."""
    highest = 0
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        if name.endswith(".py") and os.path.isfile(path) and os.access(path, os.R_OK):
            with open(path, "rb") as file:
                highest = max([highest, *map(len, _RELATIVE.findall(file.read()))])
    return highest


def _is_package(folder: str, root: str) -> bool:
    """Whether a folder is one to import from; a root with a package of its own name in it is not."""
    init = "__init__.py"
    if not os.path.exists(os.path.join(folder, init)) or os.path.dirname(folder) == folder:
        return False
    return folder != root or not os.path.exists(os.path.join(root, os.path.basename(root), init))

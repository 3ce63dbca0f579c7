"""What belongs to an interpreter, found by looking at files: it is never run to be asked."""

from __future__ import annotations

import ast
import glob
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from fx_lsp.model import syntax
from fx_lsp.server import files

SYSTEM_PROGRAMS = ("/bin", "/usr/bin", "/usr/local/bin", "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/libexec")
"""What an interpreter that is a script may call."""

_PATH_IN_SCRIPT = re.compile(r"(?<![\w./-])/[^\s\"'`$;&|<>(){}*?]+")
_SITES = (
    "lib*/python3*/site-packages",
    "lib*/python3*/dist-packages",
    "lib*/python3/dist-packages",
    "Lib/site-packages",
)
_APPLICATION = ("Resources", "Python.app", "Contents", "MacOS", "Python")
"""What a framework build on macOS starts in its place."""


@dataclass(frozen=True)
class Python:
    """Files and folders, as far as they exist."""

    own: tuple[str, ...] = ()
    """What was installed with it or into it."""
    paths: tuple[str, ...] = ()
    """Folders that were put on its module search path from elsewhere: sources of somebody."""
    execute: tuple[str, ...] = ()
    """What has to be executed to start it, besides the loader of the system."""
    sites: tuple[str, ...] = ()
    """Folders that packages are installed in."""

    def version_of(self, package: str) -> str | None:
        """Version of an installed package, as its metadata say."""
        for site in self.sites:
            for file in sorted(glob.glob(os.path.join(glob.escape(site), f"{package}-*.dist-info", "METADATA"))):
                if match := re.search(r"^Version: *(\S+)", _text(file) or "", re.MULTILINE):
                    return match[1]
        return None

    def compiled(self, package: str) -> bool:
        """Whether bytecode of an installed package lies beside it; some installers leave that to the first import."""
        return any(os.path.isdir(os.path.join(site, package, "__pycache__")) for site in self.sites)


def look_at(interpreter: str, environment: Mapping[str, str]) -> Python:
    """What belongs to it; nothing of what is not there."""
    real = os.path.realpath(interpreter)
    prefixes = list(dict.fromkeys(_prefixes(interpreter)))
    execute = [real]
    script = _script(real)
    if script is not None:
        # It may do anything to find the real one, and mostly names it, or a folder around it.
        execute += [*SYSTEM_PROGRAMS, *_own(prefixes, environment)]
        for path in _PATH_IN_SCRIPT.findall(script):
            if os.path.isfile(path) and os.access(path, os.X_OK) and not path.startswith(SYSTEM_PROGRAMS):
                prefixes += _prefixes(path)
                execute.append(os.path.realpath(path))
    execute += [file for prefix in prefixes for file in glob.glob(os.path.join(prefix, *_APPLICATION))]
    users = [] if any(_is_closed(prefix) for prefix in prefixes) else list(_user_sites(environment))
    sites = [site for prefix in prefixes for pattern in _SITES for site in glob.glob(os.path.join(prefix, pattern))]
    on_path = _listed(environment, "PYTHONPATH")
    paths = [*on_path, *(path for site in (*sites, *users) for path in (*_added(site), *_linked(site)))]
    own = [*_own(prefixes, environment), *users, *_listed(environment, "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")]
    return Python(_existing(own), _existing(paths), _existing(execute), _existing([*sites, *users, *on_path]))


def _own(prefixes: Iterable[str], environment: Mapping[str, str]) -> Iterator[str]:
    """The installations as wholes, but of a folder that holds more than one, such as a home, only Python's part."""
    home = os.path.realpath(environment.get("HOME") or os.path.expanduser("~"))
    local = os.path.join(home, ".local")
    for prefix in prefixes:
        real = os.path.realpath(prefix)
        if real in (home, local) or home.startswith(real.rstrip(os.sep) + os.sep):
            yield from glob.glob(os.path.join(prefix, "lib*", "python3*"))
        else:
            yield prefix


def _prefixes(interpreter: str) -> Iterator[str]:
    """The environment that it belongs to, and the installation that it was made from."""
    for path in (interpreter, os.path.realpath(interpreter)):
        folder = os.path.dirname(path)
        for place in (folder, os.path.dirname(folder)):
            if _is_installation(place):
                yield place
                if home := _home(os.path.join(place, "pyvenv.cfg")):
                    real = os.path.dirname(os.path.realpath(os.path.join(home, os.path.basename(path))))
                    yield from (os.path.dirname(one) if os.path.basename(one) == "bin" else one for one in (home, real))
                break


def _is_installation(folder: str) -> bool:
    """By what lies in it: the standard library, what marks an environment, or the shims of one that has several."""
    marks = ("pyvenv.cfg", "conda-meta", os.path.join("Lib", "os.py"), "shims")
    return any(os.path.exists(os.path.join(folder, mark)) for mark in marks) or bool(
        glob.glob(os.path.join(glob.escape(folder), "lib*", "python3*"))
    )


def _is_closed(prefix: str) -> bool:
    """Whether it is an environment that sees nothing of what is installed elsewhere."""
    text = _text(os.path.join(prefix, "pyvenv.cfg"))
    return text is not None and not re.search(r"^include-system-site-packages *= *true", text, re.MULTILINE | re.I)


def _listed(environment: Mapping[str, str], *names: str) -> list[str]:
    """Absolute paths of search paths: a relative one depends on where one stands."""
    return [entry for name in names for entry in environment.get(name, "").split(os.pathsep) if os.path.isabs(entry)]


def _home(file: str) -> str | None:
    """`home` of a `pyvenv.cfg`."""
    text = _text(file)
    for line in (text or "").splitlines():
        key, equals, value = line.partition("=")
        if equals and key.strip().lower() == "home":
            return value.strip()
    return None


def _user_sites(environment: Mapping[str, str]) -> Iterator[str]:
    """Where `pip install --user` puts packages."""
    home = environment.get("HOME") or os.path.expanduser("~")
    if base := environment.get("PYTHONUSERBASE"):
        bases = [base]
    elif sys.platform == "win32":
        bases = [os.path.join(environment.get("APPDATA", home), "Python")]
    else:
        bases = [os.path.join(home, ".local"), *glob.glob(os.path.join(home, "Library", "Python", "3*"))]
    for base in bases:
        for pattern in ("lib/python3*/site-packages", "lib/python/site-packages", "Python3*/site-packages"):
            yield from glob.glob(os.path.join(base, pattern))


def _added(site: str) -> Iterator[str]:
    """What the `.pth` files of a folder put on the search path: folders by name, or by an editable install's finder."""
    for file in sorted(glob.glob(os.path.join(glob.escape(site), "*.pth"))):
        for line in (_text(file) or "").splitlines():
            line = line.strip()
            if match := re.match(r"import[ \t]+(\w+)", line):
                yield from _found_by(os.path.join(site, f"{match[1]}.py"))
            elif line and not line.startswith("#"):
                path = os.path.normpath(os.path.join(site, line))
                if os.path.isdir(path) or path.endswith(".zip"):
                    yield path


def _linked(site: str) -> Iterator[str]:
    """Where packages really lie whose files were linked from a cache instead of copied."""
    try:
        entries = list(os.scandir(site))
    except OSError:
        return
    for entry in entries:
        if entry.is_symlink():
            yield os.path.realpath(entry.path)
        elif os.path.islink(first := os.path.join(entry.path, "__init__.py")):
            yield os.path.dirname(os.path.realpath(first))


def _found_by(module: str) -> Iterator[str]:
    """Absolute paths in what a finder maps names to, or is installed with."""
    try:
        tree = syntax.module(_text(module) or "")
    except (SyntaxError, ValueError, RecursionError):
        return
    for statement in tree.body:
        value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr)) else None
        if not isinstance(value, (ast.Call, ast.Dict)):
            continue
        for node in ast.walk(value):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and os.path.isabs(node.value):
                yield node.value


def _script(file: str) -> str | None:
    """The text of a script; None for a program."""
    try:
        start = files.start(file, 64 << 10)
    except (OSError, ValueError):
        return None
    return start.decode("utf-8", "replace") if start.startswith(b"#!") else None


def _text(file: str) -> str | None:
    try:
        return files.start(file, 1 << 20).decode("utf-8", "replace")
    except (OSError, ValueError):
        return None


def _existing(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(path for path in dict.fromkeys(paths) if os.path.exists(path))
